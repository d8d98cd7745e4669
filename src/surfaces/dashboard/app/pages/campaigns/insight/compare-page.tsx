import { useState } from "preact/hooks";
import type { ComparisonView, Rate } from "../../../../../../features/campaigns/funnel-model.ts";
import { api, downloadUrl } from "../../../api.ts";
import { useCursorPages } from "../../../cursor-pages.ts";
import { count, counted } from "../../../format.ts";
import { useResource } from "../../../resource.ts";
import { here, Link, setQuery } from "../../../router.tsx";
import { StateBadge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { PageFrame } from "../../../ui/page.tsx";
import { EmptyState, Loaded } from "../../../ui/states.tsx";
import { campaignStateLabels } from "../labels.ts";
import { Interval, scaleEnd } from "./interval.tsx";
import { outcomes, percentText, stageLabels } from "./stages.ts";

/** That the server compares in one answer. */
const mostChosen = 20;
type Chosen = ReadonlySet<string>;
type ComparisonPage = ComparisonView & { total: number; nextCursor: string | null };

/** All campaigns, newest first, or those that were chosen, each rate with its confidence interval. */
export function ComparePage() {
  const ids = here.value.query.get("ids");
  const [chosen, setChosen] = useState<Chosen>(new Set());
  const { cursor, paging } = useCursorPages("comparison", [ids]);
  const comparison = useResource(
    (signal) => api.get<ComparisonPage>("/campaigns/compare", { query: { ids, cursor }, signal }),
    [ids, cursor],
    { pollMs: 30_000, events: ["campaign."] },
  );
  const { hasPrevious, hasNext, toPrevious, toNext } = paging(comparison.data?.nextCursor);
  const total = comparison.data?.total ?? 0;
  return (
    <PageFrame
      title="Compare campaigns"
      back={{ to: "/campaigns", label: "Campaigns" }}
      lead="Rates are percentages of the leads who were contacted, with their 95% confidence interval."
      actions={
        <>
          {ids === null ? (
            total > 1 && (
              <Button
                disabled={chosen.size < 2 || chosen.size > mostChosen}
                onClick={() => setQuery({ ids: [...chosen].join() })}
              >
                {chosen.size === 0 ? "Compare selected" : `Compare ${chosen.size} selected`}
              </Button>
            )
          ) : (
            <Button onClick={() => setQuery({ ids: null })}>Show all</Button>
          )}
          <a
            class="button"
            href={downloadUrl("/campaigns/compare", { format: "csv", ids, cursor })}
            download="campaigns.csv"
          >
            Download CSV
          </a>
        </>
      }
    >
      {chosen.size > mostChosen && ids === null && (
        <p class="notice warn" role="status">
          At most {mostChosen} campaigns can be compared. Clear {chosen.size - mostChosen}.
        </p>
      )}
      <Loaded resource={comparison} lines={6}>
        {({ campaigns }) =>
          campaigns.length === 0 ? (
            <EmptyState icon="campaigns" title="No campaigns yet">
              <p>Campaigns can be compared as soon as there are two.</p>
            </EmptyState>
          ) : (
            <ComparisonTable campaigns={campaigns} chosen={ids === null ? chosen : null} onChoose={setChosen} />
          )
        }
      </Loaded>
      {(hasPrevious || hasNext) && (
        <nav class="pager" aria-label="Pagination">
          <span class="faint small">{counted(total, "campaign")}</span>
          <Button icon="left" disabled={!hasPrevious} aria-label="Previous page" onClick={toPrevious} />
          <Button icon="right" disabled={!hasNext} aria-label="Next page" onClick={toNext} />
        </nav>
      )}
    </PageFrame>
  );
}

type ComparisonTableProps = Pick<ComparisonView, "campaigns"> & {
  /** Null where none can be chosen. */
  chosen: Chosen | null;
  onChoose: (chosen: Chosen) => void;
};

function ComparisonTable({ campaigns, chosen, onChoose }: ComparisonTableProps) {
  const withData = campaigns.filter(({ contacted }) => contacted > 0);
  const ends = Object.fromEntries(
    outcomes.map((outcome) => [outcome, scaleEnd(withData.map(({ rates }) => rates[outcome].high))]),
  ) as Record<(typeof outcomes)[number], number>;
  return (
    <div class="table-frame insight" tabIndex={0} role="region" aria-label="Campaigns">
      <table class="table">
        <thead>
          <tr>
            {chosen !== null && (
              <td class="box">
                <span class="visually-hidden">Selected</span>
              </td>
            )}
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
              {chosen !== null && (
                <td class="box">
                  <input
                    type="checkbox"
                    aria-label={`Select ${name}`}
                    checked={chosen.has(campaignId)}
                    onChange={(event) => {
                      const others = [...chosen].filter((each) => each !== campaignId);
                      onChoose(new Set(event.currentTarget.checked ? [...others, campaignId] : others));
                    }}
                  />
                </td>
              )}
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
