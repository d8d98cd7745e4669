import { Type, type Static } from "@sinclair/typebox";
import type { EventType } from "../../platform/events/model.ts";
import type { Permission } from "../../platform/auth/key-model.ts";

/** What users can be notified of by mail, with the default and a description. Each is a setting of the user. */
export const notificationKinds = {
  accountReconnect: { isOn: true, label: "A network account of yours must be reconnected." },
  importFinished: { isOn: true, label: "An import that you started ended." },
  trainingFinished: { isOn: true, label: "Training of a voice that you created ended." },
  replyReceived: { isOn: true, label: "A person wrote to you." },
  dailyDigest: { isOn: false, label: "What happened yesterday, every morning." },
} as const satisfies Record<string, { isOn: boolean; label: string }>;
export type NotificationKind = keyof typeof notificationKinds;
export const notificationKindNames = Object.keys(notificationKinds) as NotificationKind[];

type Notified = {
  /** What it takes to see it. */
  permission: Permission;
  /** Only the member who began the job is notified; in the dashboard, everyone if nobody did. */
  isPersonal: boolean;
  /** The setting by which it is also mailed; null: it is not. */
  mail: NotificationKind | null;
};

/**
 * The events that people are notified of: in the dashboard, and by mail. `message.received` stands for replies, because it
 * also covers people who write first; `message.replied` is the first of them to a campaign or an action.
 */
export const notificationTypes = {
  "message.received": { permission: "network:read", isPersonal: false, mail: "replyReceived" },
  "account.reconnect_required": { permission: "network:read", isPersonal: false, mail: "accountReconnect" },
  "campaign.completed": { permission: "network:read", isPersonal: false, mail: null },
  "leads.changed": { permission: "leads:read", isPersonal: true, mail: null },
  "leads.imported": { permission: "leads:read", isPersonal: true, mail: "importFinished" },
  "prospects.uploaded": { permission: "prospecting:search", isPersonal: true, mail: "importFinished" },
  "voice.ready": { permission: "voice:read", isPersonal: true, mail: "trainingFinished" },
  "voice.failed": { permission: "voice:read", isPersonal: true, mail: "trainingFinished" },
  "credits.exhausted": { permission: "users:read", isPersonal: false, mail: null },
  "webhook.disabled": { permission: "webhooks:read", isPersonal: false, mail: null },
} as const satisfies Partial<Record<EventType, Notified>>;
export type NotificationType = keyof typeof notificationTypes;
export const notificationTypeNames = Object.keys(notificationTypes) as NotificationType[];

/** How people are notified of events of a type; null if they are not. */
export function notifiedOf(type: string): Notified | null {
  return Object.hasOwn(notificationTypes, type) ? notificationTypes[type as NotificationType] : null;
}

/** Older events are not listed. */
export const notificationDays = 30;
/** Of more events than this, the oldest are not listed. */
export const maxNotifications = 500;

/** What a member has read: all up to an event, and some after it. */
export type ReadState = {
  readUntil: number;
  /** IDs of events after `readUntil`, ascending. */
  alsoRead: number[];
};

const subject = Type.Optional(Type.String());

export const NotificationView = Type.Object(
  {
    id: Type.String({ description: "ID of the event." }),
    type: Type.Union(notificationTypeNames.map((type) => Type.Literal(type))),
    title: Type.String({ description: "What happened, in one line." }),
    text: Type.Union([Type.String(), Type.Null()], { description: "Details, such as the text of a reply." }),
    isRead: Type.Boolean({ description: "Whether you have read it. Each member has their own state." }),
    createdAt: Type.String({ format: "date-time" }),
    leadId: subject,
    jobId: subject,
    campaignId: subject,
    accountId: subject,
    voiceId: subject,
    conversationId: Type.Optional(Type.String({ description: "Conversation in the inbox, of a message." })),
  },
  { $id: "Notification", description: "Something that a member should know. Includes the IDs of its objects." },
);
export type NotificationView = Static<typeof NotificationView>;

export const ReadInput = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ pattern: "^[0-9]{1,15}$" }), {
        minItems: 1,
        maxItems: 100,
        description: "Notifications to mark as read.",
      }),
    ),
    until: Type.Optional(
      Type.String({
        pattern: "^[0-9]{1,15}$",
        description: "Marks this notification and all earlier ones as read.",
      }),
    ),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  { description: "Send either `ids` or `until`.", examples: [{ ids: ["41"] }, { until: "57" }] },
);
export type ReadInput = Static<typeof ReadInput>;
