import type { ComparisonView, Rate } from "../../../../../../features/campaigns/funnel-model.ts";
import { api, downloadUrl } from "../../../api.ts";
import { count } from "../../../format.ts";
import { useResource } from "../../../resource.ts";
import { Link } from "../../../router.tsx";
import { StateBadge } from "../../../ui/badge.tsx";
import { PageFrame } from "../../../ui/page.tsx";
import { EmptyState, Loaded } from "../../../ui/states.tsx";
import { campaignStateLabels } from "../labels.ts";
import { Interval, scaleEnd } from "./interval.tsx";
import { percentText, stageLabels } from "./stages.ts";

const outcomes = ["connected", "replied", "interested"] as const;

/** The latest campaigns side by side, each rate with its confidence interval. */
export function ComparePage() {
  const comparison = useResource((signal) => api.get<ComparisonView>("/campaigns/compare", { signal }), [], {
    pollMs: 30_000,
    events: ["campaign."],
  });
  return (
    <PageFrame
      title="Compare campaigns"
      back={{ to: "/campaigns", label: "Campaigns" }}
      lead="The latest 20 campaigns. Rates are percentages of the leads who were contacted, with their 95% confidence interval."
      actions={
        <a class="button" href={downloadUrl("/campaigns/compare", { format: "csv" })} download="campaigns.csv">
          Download CSV
        </a>
      }
    >
      <Loaded resource={comparison} lines={6}>
        {({ campaigns }) =>
          campaigns.length === 0 ? (
            <EmptyState icon="campaigns" title="No campaigns yet">
              <p>Campaigns can be compared as soon as there are two.</p>
            </EmptyState>
          ) : (
            <ComparisonTable campaigns={campaigns} />
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function ComparisonTable({ campaigns }: Pick<ComparisonView, "campaigns">) {
  const withData = campaigns.filter(({ contacted }) => contacted > 0);
  const ends = Object.fromEntries(
    outcomes.map((outcome) => [outcome, scaleEnd(withData.map(({ rates }) => rates[outcome].high))]),
  ) as Record<(typeof outcomes)[number], number>;
  return (
    <div class="table-frame insight" tabIndex={0} role="region" aria-label="Campaigns">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Campaign</th>
            <th scope="col" class="right">
              Enrolled
            </th>
            <th scope="col" class="right">
              Contacted
            </th>
            {outcomes.map((outcome) => (
              <th key={outcome} scope="col" class="interval-column">
                {stageLabels[outcome]}, 0 to {ends[outcome]}%
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {campaigns.map(({ campaignId, name, state, enrolled, contacted, rates, ...stages }) => (
            <tr key={campaignId}>
              <th scope="row">
                <span class="two-lines">
                  <Link to={`/campaigns/${campaignId}?part=insight`}>{name}</Link>
                  <span>
                    <StateBadge words={campaignStateLabels} state={state} />
                  </span>
                </span>
              </th>
              <td class="right number">{count(enrolled)}</td>
              <td class="right number">{count(contacted)}</td>
              {outcomes.map((outcome) => (
                <td key={outcome} class="interval-column">
                  {contacted > 0 && <RateCell leads={stages[outcome]} rate={rates[outcome]} most={ends[outcome]} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RateCell({ leads, rate, most }: { leads: number; rate: Rate; most: number }) {
  return (
    <>
      <span class="number">
        {percentText(rate.rate)} <span class="faint">({count(leads)})</span>
      </span>
      <Interval {...rate} most={most} />
      <span class="small faint number">
        {percentText(rate.low)} to {percentText(rate.high)}
      </span>
    </>
  );
}
