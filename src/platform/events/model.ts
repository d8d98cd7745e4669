import { Type, type Static } from "@sinclair/typebox";

/** What is told, and when. Names as Standard Webhooks has them; a name is never given another meaning. */
export const eventTypes = {
  "lead.created": "A lead was stored, by itself. An import tells `leads.imported` instead.",
  "lead.updated": "A lead was changed. data: fields, the names of what changed; status, where that did.",
  "lead.enriched": "An enrichment filled fields of a lead. data: fields.",
  "lead.deleted": "A lead was deleted.",
  "leads.imported": "An import of leads ended. data: status and counts of its rows. One event, however many leads.",
  "enrichment.completed": "An enrichment ended, direct or by a job. data: batchSize, enriched, failed, creditsUsed.",
  "enrichment.failed": "An enrichment job failed or was canceled. data: as above, and reason.",
  "credits.low": "The balance fell below the warning level. data: balance. At most once a day.",
  "credits.exhausted": "The balance does not last for what was asked. data: balance. At most once a day.",
  "prospects.uploaded": "An import of prospects ended. data: status and counts of its rows.",
  "prospect.searched": "A search for prospects was paid for. data: creditsUsed.",
  "action.scheduled": "An action got its moment. data: actionType, scheduledFor.",
  "action.approval_required": "An action waits for somebody's approval. data: actionType.",
  "action.postponed": "An attempt was put off. data: actionType, reason, until (null: nobody knows).",
  "action.started": "An action is being carried out. data: actionType.",
  "action.completed": "An action was carried out. data: actionType, outcome.",
  "action.failed": "An action failed, or nobody knows what came of it. data: actionType, outcome, reason.",
  "action.skipped": "An action was not needed or not allowed any more. data: actionType, outcome, reason.",
  "action.canceled": "An action was taken back. data: actionType.",
  "connection.accepted": "A person accepted a connection request.",
  "message.replied": "A person replied. data: text and profileUrl, where the connector has the text.",
  "campaign.started": "A campaign was started, or goes on.",
  "campaign.paused": "A campaign was paused.",
  "campaign.completed": "The last lead that was on its way through a campaign has come to an end.",
  "campaign.canceled": "A campaign was canceled.",
  "voice.processing": "The training of a voice clone began.",
  "voice.ready": "A voice clone can speak.",
  "voice.failed": "The training of a voice clone failed. data: reason.",
  "voice.deleted": "A voice clone was deleted.",
  "key.created": "An API key was made. data: keyId, name.",
  "key.regenerated": "An API key got a new secret. data: keyId, name.",
  "key.expiring": "An API key expires within a week. data: keyId, name, expiresAt.",
  "key.deleted": "An API key was deleted. data: keyId, name.",
  "key.leaked":
    "An API key stood in the address of a request, which proxies and browsers write down: renew it. data: keyId, name. At most once a day for each key.",
  "account.paused": "A network account was paused.",
  "account.limit_reached": "The network asked an account for a slower pace. data: meter, until, reason.",
  "account.reconnect_required": "The network signed an account out; a person must connect it again. data: reason.",
  "backup.completed": "A backup was made. data: name, bytes, missing: how many files it lacks.",
  "backup.failed": "A backup failed, or was cut off together with the server. data: name, reason.",
  "webhook.disabled":
    "An endpoint was turned off, because it failed for days or asked for it. data: endpointId, reason.",
  "webhook.test": "Somebody asked for a test of an endpoint. data: endpointId.",
} as const satisfies Record<string, string>;
export type EventType = keyof typeof eventTypes;
export const eventTypeNames = Object.keys(eventTypes) as EventType[];

/** What an event is about; the lists and streams of events can be narrowed to each. */
export const eventSubjects = ["leadId", "jobId", "campaignId", "accountId", "voiceId"] as const;
export type EventSubject = (typeof eventSubjects)[number];

/**
 * Small facts: ids, names of fields, numbers, reasons. Nothing that identifies a person, so that no log outlives it. The
 * text of a reply is the exception: it names its profile and is erased with the person.
 */
export type EventData = Record<string, unknown>;

/** An event that is to be told, together with its cause. */
export type NewEvent = { [S in EventSubject]?: string | null } & {
  type: EventType;
  /** Whose it is; null for what concerns the whole installation, which its admins are told. */
  userId: string | null;
  at: number;
  data?: EventData;
};

/** `id` grows from event to event. */
export type Event = { [S in EventSubject]: string | null } & {
  id: number;
  type: EventType;
  userId: string | null;
  at: number;
  data: EventData;
};

/** What a list, a stream or a webhook is narrowed to; an absent field does not narrow. */
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
    id: Type.String({ description: "Grows from event to event; `after`, `before` and Last-Event-ID take it." }),
    type: Type.Union(eventTypeNames.map((type) => Type.Literal(type))),
    timestamp: Type.String({ format: "date-time" }),
    userId: Type.Union([Type.String(), Type.Null()], { description: "null: of the whole installation; for admins." }),
    ...subjectViews,
    data: Type.Record(Type.String(), Type.Unknown(), { description: "By type; see the list of types." }),
  },
  { $id: "Event", description: "Something that happened. Only the ids of what it is about are there." },
);
export type EventView = Static<typeof EventView>;

/** The longest text of somebody else's that an event repeats. */
const maxReasonLength = 300;

/** A reason, short enough for an event. */
export function shortReason(text: string): string {
  return text.length <= maxReasonLength ? text : `${text.slice(0, maxReasonLength - 1)}…`;
}
