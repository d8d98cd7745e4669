import type { CampaignView } from "../../../../../features/campaigns/model.ts";
import { getAll } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { campaignStateLabels, inOrder } from "./labels.ts";

const columns: readonly Column<CampaignView>[] = [
  { id: "name", header: "Name", cell: ({ id, name }) => <Link to={`/campaigns/${id}`}>{name}</Link> },
  { id: "state", header: "State", cell: ({ state }) => <StateBadge words={campaignStateLabels} state={state} /> },
  {
    id: "steps",
    header: "Steps",
    hideBelow: "small",
    cell: ({ steps }) => counted(inOrder(steps).length, "step"),
  },
  {
    id: "accounts",
    header: "Sent from",
    hideBelow: "medium",
    cell: ({ accountIds }) => counted(accountIds.length, "account"),
  },
  {
    id: "since",
    header: "Started",
    hideBelow: "small",
    cell: ({ startedAt }) =>
      startedAt === null ? <span class="faint">Not yet</span> : <RelativeTime at={startedAt} />,
  },
];

export function CampaignsPage() {
  const campaigns = useResource(
    async (signal) => ({ campaigns: await getAll<CampaignView>("/campaigns", "campaigns", { signal }) }),
    [],
    { pollMs: 20_000, events: ["campaign."] },
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
        columns={columns}
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
