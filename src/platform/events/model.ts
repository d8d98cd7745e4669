import { Type, type Static } from "@sinclair/typebox";
import type { UserId, WorkspaceId } from "../base/ids.ts";

/** Event types and their descriptions. Names follow Standard Webhooks and never change their meaning. */
export const eventTypes = {
  "lead.created": "A lead was created. Imports emit `leads.imported` instead.",
  "lead.updated":
    "A lead was updated. Data: fields (names of the changed fields), status (if it changed), merged (ID of the lead that was merged into it).",
  "lead.enriched": "A lead was updated by an enrichment. Data: fields.",
  "lead.deleted": "A lead was deleted. Data: mergedInto (ID of the lead that it was merged into).",
  "leads.imported": "A lead import ended. Data: status, row counts. One event per import.",
  "leads.changed":
    "A bulk change of leads by filter ended. Data: status, operation, total, processed, changed, unchanged, skipped.",
  "enrichment.completed":
    "An enrichment completed, directly or as a job. Data: batchSize, enriched, failed, creditsUsed.",
  "enrichment.failed":
    "An enrichment job failed or was canceled. Data: batchSize, enriched, failed, creditsUsed, reason.",
  "credits.low": "The credit balance fell below the warning level. Data: balance. At most once a day.",
  "credits.exhausted":
    "A request was rejected because the credit balance was too low. Data: balance. At most once a day.",
  "prospects.uploaded": "A prospect import ended. Data: status, row counts.",
  "prospect.searched": "A prospect search was charged. Data: creditsUsed.",
  "action.scheduled": "An action was scheduled. Data: actionType, scheduledFor.",
  "action.approval_required": "An action requires approval. Data: actionType.",
  "action.postponed": "An action was postponed. Data: actionType, reason, until (null if unknown).",
  "action.started": "An action is being sent. Data: actionType.",
  "action.completed": "An action completed. Data: actionType, outcome.",
  "action.failed": "An action failed, or its outcome is unknown. Data: actionType, outcome, reason.",
  "action.skipped":
    "An action was skipped because it was not needed or no longer allowed. Data: actionType, outcome, reason.",
  "action.canceled": "An action was canceled. Data: actionType.",
  "connection.accepted": "A person accepted a connection request.",
  "message.replied": "A person replied to a message. Data: text and profileUrl, if the connector provides the text.",
  "message.received":
    "A person wrote to a network account. One event per message. Data: conversationId, messageId, profileUrl, text (null if the connector does not provide it), sentAt.",
  "conversation.updated":
    "A conversation of the inbox was changed. Data: conversationId, fields (names of the changed fields; `messages`: the account wrote a message outside of outreachd), label (if it changed).",
  "campaign.started": "A campaign was started or resumed.",
  "campaign.paused": "A campaign was paused.",
  "campaign.completed": "A campaign completed: every lead has reached the end.",
  "campaign.canceled": "A campaign was canceled.",
  "campaign.variant_won": "A test of texts was decided: all further leads get the best variant.",
  "voice.processing": "Training of a voice clone started.",
  "voice.ready": "A voice clone is ready to use.",
  "voice.failed": "Training of a voice clone failed. Data: reason.",
  "voice.deleted": "A voice clone was deleted.",
  "key.created": "An API key was created. Data: keyId, name.",
  "key.regenerated": "An API key was regenerated with a new secret. Data: keyId, name.",
  "key.expiring": "An API key expires within a week. Data: keyId, name, expiresAt.",
  "key.deleted": "An API key was deleted. Data: keyId, name.",
  "key.leaked":
    "An API key was sent in a URL, where proxies and browsers may have logged it. Regenerate it. Data: keyId, name. At most once a day per key.",
  "account.paused": "A network account was paused.",
  "account.limit_reached": "The network asked an account to slow down. Data: meter, until, reason.",
  "account.reconnect_required": "The network signed an account out, and a person must reconnect it. Data: reason.",
  "backup.completed": "A backup completed. Data: name, bytes, missing (number of missing files).",
  "backup.failed": "A backup failed or was interrupted. Data: name, reason.",
  "webhook.disabled":
    "A webhook endpoint was disabled because it failed for days or requested it. Data: endpointId, reason.",
  "webhook.test": "A test event for a webhook endpoint, sent on request. Data: endpointId.",
} as const satisfies Record<string, string>;
export type EventType = keyof typeof eventTypes;
export const eventTypeNames = Object.keys(eventTypes) as EventType[];

/** Fields for the objects an event is about. Lists and streams of events can be filtered by each. */
export const eventSubjects = ["leadId", "jobId", "campaignId", "accountId", "voiceId"] as const;
export type EventSubject = (typeof eventSubjects)[number];

/**
 * Details of an event: IDs, field names, numbers, and reasons, but nothing that identifies a person, so that the log can
 * outlive personal data. The exception is the text of a reply: it is stored with its profile and erased with the person.
 */
export type EventData = Record<string, unknown>;

/** An event to store in the transaction that causes it. */
export type NewEvent = { [S in EventSubject]?: string | null } & {
  type: EventType;
  /** User the event belongs to; null for events of the whole installation, which its admins receive. */
  workspaceId: WorkspaceId | null;
  at: number;
  data?: EventData;
  /** The user who did it; null or absent for what the server does by itself. */
  actorId?: UserId | null;
};

/** IDs are ascending. */
export type Event = { [S in EventSubject]: string | null } & {
  id: number;
  type: EventType;
  workspaceId: WorkspaceId | null;
  at: number;
  data: EventData;
  actorId: UserId | null;
};

/** Filter of a list, a stream, or a webhook. Fields that are absent do not filter. */
export type EventFilter = { types?: readonly EventType[] } & { [S in EventSubject]?: string };

const subjectViews = {
  leadId: Type.Optional(Type.String()),
  jobId: Type.Optional(Type.String()),
  campaignId: Type.Optional(Type.String()),
  accountId: Type.Optional(Type.String()),
  voiceId: Type.Optional(Type.String()),
};

export const EventView = Type.Object(
  {
    id: Type.String({ description: "Ascending ID. Use it with `after`, `before`, and Last-Event-ID." }),
    type: Type.Union(eventTypeNames.map((type) => Type.Literal(type))),
    timestamp: Type.String({ format: "date-time" }),
    userId: Type.Union([Type.String(), Type.Null()], {
      description: "User the event belongs to. null for events of the whole installation, which only admins receive.",
    }),
    actorId: Type.Union([Type.String(), Type.Null()], {
      description:
        "User who did it, or who began the job. null for what the server did by itself, and for a global key that acts for a workspace.",
    }),
    ...subjectViews,
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: "Details, depending on the type. See the list of types.",
    }),
  },
  { $id: "Event", description: "An event. Includes the IDs of the objects it is about." },
);
export type EventView = Static<typeof EventView>;

/** Maximum length of third-party text in an event. */
const maxReasonLength = 300;

/** Truncates a reason for use in an event. */
export function shortReason(text: string): string {
  return text.length <= maxReasonLength ? text : `${text.slice(0, maxReasonLength - 1)}…`;
}
