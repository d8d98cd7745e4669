import type { JobView } from "../../../../../platform/jobs/model.ts";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api } from "../../api.ts";
import { now } from "../../clock.ts";
import { isoDay, timeOfDay } from "../../format.ts";
import { actionLabels } from "../../network.ts";
import { targetOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { shortTime } from "../../short-time.ts";
import { actionStateLabels, jobStatusLabels, StateBadge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { countAhead, reasonInFull } from "../queue/reason.ts";
import { jobLabels } from "./attention.tsx";

const shown = 8;
type ActionPage = { actions: ActionView[] };

/** The next actions, and why they are not executed sooner. */
export function NextActions() {
  const next = useResource(
    (signal) => api.get<ActionPage>("/network/actions", { query: { order: "soonest", limit: shown }, signal }),
    [],
    { pollMs: 10_000, events: ["action.", "account.", "campaign."] },
  );
  return (
    <div class="card">
      <Section title="Next" actions={<Link to="/queue">View queue</Link>}>
        <Loaded resource={next} lines={5}>
          {({ actions }) =>
            actions.length === 0 ? (
              <p class="faint">
                Nothing is scheduled. <Link to="/leads">Select leads</Link> and schedule an action for them.
              </p>
            ) : (
              <Coming actions={actions} />
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

function Coming({ actions }: { actions: readonly ActionView[] }) {
  const { ahead } = countAhead(actions, {});
  return (
    <ol class="feed">
      {actions.map((action) => (
        <li key={action.jobId}>
          <span class="feed-when">
            {action.scheduledFor === null ? (
              <span class="faint">Not scheduled</span>
            ) : (
              <>
                <strong class="number">
                  <time dateTime={action.scheduledFor}>{shortTime(action.scheduledFor)}</time>
                </strong>
                <span class="faint small block">
                  <RelativeTime at={action.scheduledFor} />
                </span>
              </>
            )}
          </span>
          <span>
            {actionLabels[action.actionType].label} to <strong>{targetOf(action)}</strong>
            <span class="faint small block">{reasonInFull(action, ahead.get(action.jobId) ?? null)}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

type Activity = { key: string; at: string; what: string; who: string | null; badge: preact.ComponentChildren };

/** What happened since midnight in the user's time zone. */
export function Today() {
  const today = useResource(recentActivity, [], {
    pollMs: 10_000,
    events: ["action.", "enrichment.", "leads.", "voice."],
  });
  return (
    <div class="card">
      <Section title="Today" actions={<Link to="/queue?tab=completed">View all</Link>}>
        <Loaded resource={today} lines={5}>
          {(found) =>
            found.length === 0 ? (
              <p class="faint">Nothing has happened yet today.</p>
            ) : (
              <ol class="feed times">
                {found.map(({ key, at, what, who, badge }) => (
                  <li key={key}>
                    <time class="feed-time number" dateTime={at}>
                      {timeOfDay(at)}
                    </time>
                    <span class="feed-event">
                      <span class="clamped">
                        {what} {who && <strong>{who}</strong>}
                      </span>
                      {badge}
                    </span>
                  </li>
                ))}
              </ol>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

async function recentActivity(signal: AbortSignal): Promise<Activity[]> {
  const [actions, jobs] = await Promise.all([
    can("network:read") ? latestActions(signal) : [],
    can("users:read") ? latestJobs(signal) : [],
  ]);
  const today = isoDay(now());
  return [...actions, ...jobs]
    .filter(({ at }) => isoDay(at) === today)
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, shown);
}

async function latestActions(signal: AbortSignal): Promise<Activity[]> {
  const query = { order: "latest", limit: shown };
  const { actions } = await api.get<ActionPage>("/network/actions", { query, signal });
  return actions.map((action) => ({
    key: action.jobId,
    at: action.carriedOutAt ?? action.updatedAt,
    what: `${actionLabels[action.actionType].label} to`,
    who: targetOf(action),
    badge: <StateBadge words={actionStateLabels} state={action.state} />,
  }));
}

/** Jobs other than actions, which are listed separately. */
async function latestJobs(signal: AbortSignal): Promise<Activity[]> {
  const others = ["lead_import", "data_enrichment", "prospect_import", "voice_training"] as const;
  const startDate = Math.floor((now() - 2 * 86_400_000) / 1000);
  const pages = await Promise.all(
    others.map((type) =>
      api.get<{ jobs: JobView[] }>("/users/jobs", {
        query: { type, startDate, limit: shown },
        signal,
        priority: "low",
      }),
    ),
  );
  return pages
    .flatMap(({ jobs }) => jobs)
    .map(({ id, type, status, message, createdAt, completedAt }) => ({
      key: id,
      at: completedAt ?? createdAt,
      what: `${jobLabels[type]}: ${message}`,
      who: null,
      badge: <StateBadge words={jobStatusLabels} state={status} />,
    }));
}
