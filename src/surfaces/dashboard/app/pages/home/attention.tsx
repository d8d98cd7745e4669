import type { ComponentChildren } from "preact";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import type { ActionView, TaskView } from "../../../../../features/network/action-model.ts";
import { api, getAll } from "../../api.ts";
import { now } from "../../clock.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";

type AttentionItems = {
  accounts: AccountView[];
  tasks: number;
  approvals: Counted;
  unknown: Counted;
  failed: JobView[];
};
/** A count that is limited by the page size: "100 or more". */
type Counted = { n: number; isMore: boolean };

const dayMs = 86_400_000;
/** Older failures are not shown. */
const failureDays = 7;

/** Everything that waits for the user, with a link to resolve it. Renders nothing if there is nothing to do. */
export function Attention() {
  const { data, reload } = useResource(loadAttentionItems, [], {
    pollMs: 15_000,
    events: ["action.", "account.", "enrichment.", "leads.imported", "voice."],
  });
  if (data === undefined) return null;
  const { accounts, tasks, approvals, unknown, failed } = data;

  async function retry(job: JobView) {
    try {
      await api.post(`/users/jobs/${job.id}/retry`);
      showSuccess("The job was restarted.");
      reload();
    } catch (error) {
      showError(error);
    }
  }

  const items = [
    ...accounts
      .filter(({ state }) => state !== "active")
      .map(({ id, name, state, stateReason }) => (
        <Item
          key={id}
          icon="warning"
          tone={state === "needsReconnect" ? "bad" : "warn"}
          to={`/settings/accounts/${encodeURIComponent(id)}`}
          link="Open account"
        >
          <strong>{name}</strong>{" "}
          {state === "paused" ? "is paused. Its actions are waiting." : "needs reconnecting. Its actions are waiting."}{" "}
          {stateReason && <span>{stateReason}</span>}
        </Item>
      )),
    unknown.n > 0 && (
      <Item key="unknown" icon="warning" tone="bad" to="/queue?tab=unknown" link="Report outcome">
        The outcome of {countedOf(unknown, "action")} is unknown. Check the profile, then report the outcome.
      </Item>
    ),
    tasks > 0 && (
      <Item key="tasks" icon="work" tone="info" to="/work" link="Open the work list">
        {counted(tasks, "action")} {tasks === 1 ? "is" : "are"} waiting for you in the work list.
      </Item>
    ),
    approvals.n > 0 && (
      <Item key="approvals" icon="queue" tone="info" to="/queue?tab=approval" link="Review">
        {countedOf(approvals, "action")} {approvals.n === 1 ? "needs" : "need"} approval.
      </Item>
    ),
    ...failed.map((job) => (
      <Item
        key={job.id}
        icon="warning"
        tone="bad"
        action={can("jobs:update") && <Button onClick={() => void retry(job)}>Try again</Button>}
      >
        <strong>{jobLabels[job.type]}</strong> failed <RelativeTime at={job.completedAt ?? job.createdAt} />:{" "}
        {job.message}
      </Item>
    )),
  ].filter(Boolean);

  if (items.length === 0) return null;
  return (
    <section aria-labelledby="attention" class="attention">
      <h2 id="attention">Needs attention</h2>
      <ul>{items}</ul>
    </section>
  );
}

export const jobLabels: Record<JobView["type"], string> = {
  linkedin_action: "Action",
  data_enrichment: "Enrichment",
  lead_import: "Lead import",
  lead_bulk: "Bulk change of leads",
  prospect_import: "Prospect import",
  voice_training: "Voice training",
  person_erasure: "Person erasure",
};

const shownFailures = 5;
const atMost = 100;

async function loadAttentionItems(signal: AbortSignal): Promise<AttentionItems> {
  const [network, failed] = await Promise.all([
    can("network:read") ? loadNetworkItems(signal) : noNetworkItems,
    can("users:read") ? failures(signal) : [],
  ]);
  return { ...network, failed };
}

const none: Counted = { n: 0, isMore: false };
const noNetworkItems = { accounts: [], tasks: 0, approvals: none, unknown: none };

async function loadNetworkItems(signal: AbortSignal): Promise<Omit<AttentionItems, "failed">> {
  const countOf = async (state: string): Promise<Counted> => {
    const query = { state, limit: atMost };
    const page = await api.get<{ actions: ActionView[]; nextCursor: string | null }>("/network/actions", {
      query,
      signal,
    });
    return { n: page.actions.length, isMore: page.nextCursor !== null };
  };
  const [accounts, { total }, approvals, unknown] = await Promise.all([
    getAll<AccountView>("/network/accounts", "accounts", { signal }),
    api.get<{ tasks: TaskView[]; total: number }>("/network/tasks", { query: { limit: 1 }, signal }),
    countOf("awaitingApproval"),
    countOf("unknown"),
  ]);
  return { accounts, tasks: total, approvals, unknown };
}

/**
 * Canceled jobs also have the status failed, but need no attention. Actions with an unknown outcome are listed as such:
 * they must not be repeated before it was checked.
 */
async function failures(signal: AbortSignal): Promise<JobView[]> {
  const startDate = Math.floor((now() - failureDays * dayMs) / 1000);
  const { jobs } = await api.get<{ jobs: JobView[] }>("/users/jobs", {
    query: { status: "failed", startDate, limit: 20 },
    signal,
  });
  return jobs
    .filter(({ metadata: { canceled, outcome } }) => canceled !== true && outcome !== "unknown")
    .slice(0, shownFailures);
}

function countedOf({ n, isMore }: Counted, one: string): string {
  return isMore ? `${n} or more ${one}s` : counted(n, one);
}

type ItemProps = {
  icon: IconName;
  tone: "bad" | "warn" | "info";
  to?: string;
  link?: string;
  action?: ComponentChildren;
  children: ComponentChildren;
};

function Item({ icon, tone, to, link, action, children }: ItemProps) {
  return (
    <li class={`attention-item ${tone}`}>
      <Icon name={icon} />
      <p class="clamped">{children}</p>
      {to !== undefined && (
        <Link to={to} class="button plain">
          {link}
        </Link>
      )}
      {action}
    </li>
  );
}
