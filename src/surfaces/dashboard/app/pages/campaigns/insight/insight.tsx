import type { FunnelView, SeriesView } from "../../../../../../features/campaigns/funnel-model.ts";
import type { CampaignView } from "../../../../../../features/campaigns/model.ts";
import { api, downloadUrl } from "../../../api.ts";
import { now } from "../../../clock.ts";
import { useResource } from "../../../resource.ts";
import { here, setQuery } from "../../../router.tsx";
import { Field } from "../../../ui/form.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Section } from "../../../ui/page.tsx";
import { Loaded } from "../../../ui/states.tsx";
import { NoEnrollments } from "../no-enrollments.tsx";
import { AccountTable } from "./account-table.tsx";
import { DaysChart } from "./days-chart.tsx";
import { dimensionsOf } from "./dimensions.ts";
import { FunnelTable } from "./funnel-table.tsx";
import { StepTable } from "./step-table.tsx";
import { VariantTest } from "./variant-test.tsx";

const live = { pollMs: 15_000, events: ["campaign.", "action.", "connection.", "message.", "conversation."] };
const dayMs = 86_400_000;

const periods = [
  { days: null, name: "", label: "All time" },
  { days: 7, name: "7", label: "Last 7 days" },
  { days: 30, name: "30", label: "Last 30 days" },
  { days: 90, name: "90", label: "Last 90 days" },
] as const;

/** How far leads get in a campaign, where they are now, and which texts and accounts do best. */
export function Insight({ campaign, path }: { campaign: CampaignView; path: string }) {
  const { query } = here.value;
  const account = query.get("account");
  const period = periods.find(({ name }) => name === query.get("period")) ?? periods[0];
  const from = period.days === null ? null : new Date(now() - (period.days - 1) * dayMs).toISOString().slice(0, 10);
  const filter = { ...(from !== null && { from }), ...(account !== null && { accountId: account }) };
  const funnel = useResource(
    (signal) => api.get<FunnelView>(`${path}/funnel`, { query: filter, signal }),
    [path, from, account],
    live,
  );
  const dimensions = dimensionsOf(campaign, funnel.data);
  const by = dimensions.find((name) => name === query.get("by")) ?? null;
  const seriesFilter = { ...filter, ...(by !== null && { by }) };
  const series = useResource(
    (signal) => api.get<SeriesView>(`${path}/series`, { query: seriesFilter, signal }),
    [path, from, account, by],
    live,
  );
  // The accounts of all leads, to choose from while one is chosen.
  const all = useResource((signal) => api.get<FunnelView>(`${path}/funnel`, { signal }), [path]);
  const senders = all.data?.accounts ?? [];
  return (
    <div class="insight">
      <div class="insight-filters">
        <Field label="Period">
          {(control) => (
            <select
              {...control}
              value={period.name}
              onChange={({ currentTarget }) => setQuery({ period: currentTarget.value || null })}
            >
              {periods.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {senders.length > 1 && (
          <Field label="Account">
            {(control) => (
              <select
                {...control}
                value={account ?? ""}
                onChange={({ currentTarget }) => setQuery({ account: currentTarget.value || null })}
              >
                <option value="">All accounts</option>
                {senders.map(({ accountId, name }) => (
                  <option key={accountId} value={accountId}>
                    {name ?? "Removed account"}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Menu label="Download" icon="download">
          <a href={downloadUrl(`${path}/funnel`, { ...filter, format: "csv" })} download="campaign-funnel.csv">
            Funnel, steps, variants (CSV)
          </a>
          <a href={downloadUrl(`${path}/series`, { ...seriesFilter, format: "csv" })} download="campaign-days.csv">
            Days (CSV)
          </a>
        </Menu>
      </div>
      <Loaded resource={funnel} lines={8}>
        {(loaded) =>
          loaded.leads === 0 && account === null ? (
            <NoEnrollments campaign={campaign} path={path} onEnrolled={funnel.reload} />
          ) : (
            <>
              <Section title="Funnel">
                <FunnelTable
                  funnel={loaded}
                  listPath={from === null && account === null ? `${here.value.path}?part=follow` : null}
                />
              </Section>
              {loaded.tests.map((test) => (
                <VariantTest key={test.step} campaign={campaign} test={test} />
              ))}
              <Loaded resource={series} lines={5}>
                {(view) => (
                  <DaysChart
                    campaign={campaign}
                    view={view}
                    senders={senders}
                    dimensions={dimensions}
                    from={from}
                    until={new Date(now()).toISOString().slice(0, 10)}
                  />
                )}
              </Loaded>
              <StepTable campaign={campaign} funnel={loaded} />
              {loaded.accounts.length > 1 && <AccountTable accounts={loaded.accounts} />}
            </>
          )
        }
      </Loaded>
    </div>
  );
}
