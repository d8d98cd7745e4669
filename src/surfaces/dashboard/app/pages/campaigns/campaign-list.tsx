import type { ComparisonView } from "../../../../../features/campaigns/funnel-model.ts";
import type { CampaignView } from "../../../../../features/campaigns/model.ts";
import { getAll } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { percentText, stageLabels, type outcomes, type Stage } from "./insight/stages.ts";
import { campaignStateLabels } from "./labels.ts";

type Results = ComparisonView["campaigns"][number];

/** `results`: by campaign; those that are not loaded are left empty. */
function columnsOf(results: ReadonlyMap<string, Results>): readonly Column<CampaignView>[] {
  const number = (stage: Stage, hideBelow: "small" | "medium"): Column<CampaignView> => ({
    id: stage,
    header: stageLabels[stage],
    align: "right",
    hideBelow,
    cell: ({ id }) => {
      const leads = results.get(id)?.[stage];
      return leads === undefined ? <span class="faint">–</span> : count(leads);
    },
  });
  const outcome = (stage: (typeof outcomes)[number], hideBelow?: "small"): Column<CampaignView> => ({
    id: stage,
    header: stageLabels[stage],
    align: "right",
    ...(hideBelow !== undefined && { hideBelow }),
    cell: ({ id }) => <Outcome stage={stage} of={results.get(id)} />,
  });
  return [
    { id: "name", header: "Name", cell: ({ id, name }) => <Link to={`/campaigns/${id}`}>{name}</Link> },
    { id: "state", header: "State", cell: ({ state }) => <StateBadge words={campaignStateLabels} state={state} /> },
    number("enrolled", "medium"),
    number("contacted", "small"),
    outcome("connected", "small"),
    outcome("replied"),
    outcome("interested", "small"),
    {
      id: "since",
      header: "Started",
      hideBelow: "medium",
      cell: ({ startedAt }) =>
        startedAt === null ? <span class="faint">Not yet</span> : <RelativeTime at={startedAt} />,
    },
  ];
}

/** "39 (28%)": leads, and their share of those who were contacted. */
function Outcome({ stage, of: results }: { stage: (typeof outcomes)[number]; of: Results | undefined }) {
  if (results === undefined || results.contacted === 0) return <span class="faint">–</span>;
  return (
    <>
      {count(results[stage])} <span class="faint">({percentText(results.rates[stage].rate)})</span>
    </>
  );
}

export function CampaignsPage() {
  const campaigns = useResource(
    async (signal) => ({ campaigns: await getAll<CampaignView>("/campaigns", "campaigns", { signal }) }),
    [],
    { pollMs: 20_000, events: ["campaign."] },
  );
  // The list does not wait for the results.
  const results = useResource(
    async (signal) => {
      const found = await getAll<Results>("/campaigns/compare", "campaigns", { query: { limit: 100 }, signal });
      return new Map(found.map((each) => [each.campaignId, each]));
    },
    [],
    { pollMs: 30_000, events: ["campaign.", "connection.", "message.", "conversation."] },
  );
  return (
    <PageFrame
      title="Campaigns"
      lead="A campaign takes leads through a sequence of actions, at the pace of each account."
      actions={
        <>
          {(campaigns.data?.campaigns.length ?? 0) > 1 && (
            <Link to="/campaigns/compare" class="button">
              Compare
            </Link>
          )}
          {/* The list has this button while it is empty. */}
          {can("network:schedule") && campaigns.data?.campaigns.length !== 0 && (
            <Link to="/campaigns/new" class="button primary">
              New campaign
            </Link>
          )}
        </>
      }
    >
      <DataTable
        label="Campaigns"
        columns={columnsOf(results.data ?? new Map())}
        rows={campaigns.data?.campaigns}
        rowKey={({ id }) => id}
        error={campaigns.error}
        retry={campaigns.reload}
        isLoading={campaigns.isLoading}
        empty={
          <EmptyState icon="campaigns" title="No campaigns yet">
            <p>Build a sequence of steps, preview when each would run, then start the campaign.</p>
            {can("network:schedule") && (
              <Link to="/campaigns/new" class="button primary">
                Create campaign
              </Link>
            )}
          </EmptyState>
        }
      />
    </PageFrame>
  );
}
