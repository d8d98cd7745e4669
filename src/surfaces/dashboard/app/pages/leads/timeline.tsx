import type { LeadStatus, LeadView } from "../../../../../features/leads/model.ts";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api, RequestError } from "../../api.ts";
import { dateTime, withoutRequests } from "../../format.ts";
import { actionLabels } from "../../network.ts";
import { useResource } from "../../resource.ts";
import { can, session } from "../../session.ts";
import { nameOfMember, useMembers } from "../../team.ts";
import { actionStateLabels, leadStatusLabels, StateBadge } from "../../ui/badge.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { labelNames } from "../inbox/labels.ts";
import { reasonInFull } from "../queue/reason.ts";
import { columnLabel } from "./lead-columns.tsx";

/** An event, as GET /events returns it. */
type LeadEvent = {
  id: string;
  type: string;
  timestamp: string;
  jobId?: string;
  actorId: string | null;
  data: Record<string, unknown>;
};

type Entry = {
  key: string;
  at: string;
  what: string;
  detail?: string | null;
  action?: ActionView;
  /** User who did it. */
  actorId?: string | null;
};

/** Activity of a lead, newest first: actions with their messages, and events. */
export function Timeline({ lead }: { lead: LeadView }) {
  const resource = useResource((signal) => entriesOf(lead, signal), [lead.id, lead.updatedAt], {
    pollMs: 15_000,
    events: ["action.", "connection.", "message.", "conversation.", "lead."],
  });
  const self = session.value?.user.id ?? null;
  const hasOthers = resource.data?.some(({ actorId = null }) => actorId !== null && actorId !== self) ?? false;
  const members = useMembers(hasOthers);
  return (
    <Loaded resource={resource} lines={4}>
      {(entries) => (
        <ol class="timeline">
          {entries.map(({ key, at, what, detail, action, actorId = null }) => (
            <li key={key}>
              <div class="timeline-head">
                <strong>{what}</strong>
                {action && <StateBadge words={actionStateLabels} state={action.state} />}
                <span class="faint small">
                  {actorId !== null && `${nameOfMember(members, actorId)} · `}
                  <RelativeTime at={at} />
                </span>
              </div>
              {detail && <p class="faint small">{detail}</p>}
              {action?.message && <blockquote>{action.message}</blockquote>}
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}

async function entriesOf(lead: LeadView, signal: AbortSignal): Promise<Entry[]> {
  const [actions, events] = await Promise.all([actionsOf(lead.id, signal), eventsOf(lead.id, signal)]);
  const told = new Set(events.map(({ type }) => type));
  const entries: Entry[] = [...actions.map(entryOfAction), ...entriesOfEvents(events)];
  // Imported leads, and leads older than the event log, have no creation event.
  if (!told.has("lead.created")) entries.push({ key: "created", at: lead.createdAt, what: "Lead created" });
  return entries.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** An action at the time it was done, or while it waits, is scheduled for. */
export function entryOfAction(action: ActionView): Entry {
  const { jobId, actionType, carriedOutAt, updatedAt, scheduledFor, pendingReason } = action;
  return {
    key: jobId,
    at: carriedOutAt ?? (pendingReason === null ? null : scheduledFor) ?? updatedAt,
    what: actionLabels[actionType].label,
    detail: detailOfAction(action),
    action,
  };
}

/** What the badge of the state does not say. */
function detailOfAction(action: ActionView): string | null {
  const { pendingReason, state, status } = action;
  if (pendingReason !== null) return reasonInFull(action, null);
  return status === actionStateLabels[state]?.label ? null : withoutRequests(status);
}

async function actionsOf(leadId: string, signal: AbortSignal): Promise<ActionView[]> {
  if (!can("network:read")) return [];
  const { actions } = await api.get<{ actions: ActionView[] }>("/network/actions", {
    query: { leadId, limit: 100 },
    signal,
  });
  return actions;
}

async function eventsOf(leadId: string, signal: AbortSignal): Promise<LeadEvent[]> {
  try {
    const { events } = await api.get<{ events: LeadEvent[] }>("/events", { query: { leadId, limit: 100 }, signal });
    return events;
  } catch (error) {
    // The key may lack the permission to read events; show the rest.
    if (error instanceof RequestError && [403, 404].includes(error.status)) return [];
    throw error;
  }
}

/** Events as sentences: each reply once, and nothing that an action tells already or that only marks as read. */
export function entriesOfEvents(events: readonly LeadEvent[]): Entry[] {
  const received = events.filter(({ type }) => type === "message.received");
  const replies = events.filter(({ type }) => type === "message.replied");
  // The first reply to a campaign or an action has both events, from one report.
  const isSameReply = (reply: LeadEvent, message: LeadEvent) =>
    reply.timestamp === message.timestamp ||
    (typeof reply.data["text"] === "string" && reply.data["text"] === message.data["text"]);
  return events.flatMap((event): Entry[] => {
    const { id, type, timestamp, actorId, data } = event;
    const entry = { key: id, actorId, at: timestamp };
    if (type.startsWith("action.")) return [];
    if (type === "conversation.updated") {
      const changes = conversationChanges(data);
      return changes.length === 0 ? [] : [{ ...entry, what: changes.join(" · ") }];
    }
    if (type === "message.replied" && received.some((message) => isSameReply(event, message))) return [];
    const isReply = type === "message.received" && replies.some((reply) => isSameReply(reply, event));
    const what = isReply ? "Replied" : (eventLabels[type] ?? type);
    return [{ ...entry, what, detail: detailOf(data) }];
  });
}

function conversationChanges({ fields, label, snoozedUntil }: Record<string, unknown>): string[] {
  const changed = new Set(Array.isArray(fields) ? fields : []);
  const name = Object.entries(labelNames).find(([key]) => key === label)?.[1].label;
  return [
    changed.has("messages") && "Message sent outside of outreachd",
    changed.has("label") && (name === undefined ? "Conversation label removed" : `Conversation labeled “${name}”`),
    changed.has("assignedTo") && "Conversation assignment changed",
    changed.has("snoozedUntil") &&
      (typeof snoozedUntil === "string"
        ? `Conversation snoozed until ${dateTime(snoozedUntil)}`
        : "Conversation no longer snoozed"),
  ].filter((change) => change !== false);
}

const eventLabels: Record<string, string> = {
  "lead.created": "Lead created",
  "lead.updated": "Lead updated",
  "lead.enriched": "Lead enriched",
  "connection.accepted": "Connection request accepted",
  "message.replied": "Replied",
  "message.received": "Message received",
};

const fieldLabels: Record<string, string> = {
  firstName: "First name",
  lastName: "Last name",
  networkUrl: "Profile",
  notes: "Notes",
  customFields: "Custom fields",
  assignedTo: "Owner",
};

function detailOf({ fields, status, text }: Record<string, unknown>): string | null {
  const changed = (Array.isArray(fields) ? (fields as string[]) : []).filter((field) => field !== "status");
  const parts = [
    changed.length > 0 && `Changed: ${changed.map((field) => fieldLabels[field] ?? columnLabel(field)).join(", ")}`,
    typeof status === "string" && `Status: ${leadStatusLabels[status as LeadStatus]?.label ?? status}`,
    typeof text === "string" && `“${text}”`,
  ].filter(Boolean);
  return parts.length === 0 ? null : parts.join(" · ");
}
