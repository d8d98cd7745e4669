import { Type, type Static } from "@sinclair/typebox";
import type { EventType } from "../../platform/events/model.ts";
import type { Permission } from "../../platform/auth/key-model.ts";

/**
 * The events that people are notified of, with the permission that it takes to see them. `isPersonal`: only the member
 * who began the job is notified, unless nobody did.
 */
export const notificationTypes = {
  "message.received": { permission: "network:read", isPersonal: false },
  "account.reconnect_required": { permission: "network:read", isPersonal: false },
  "campaign.completed": { permission: "network:read", isPersonal: false },
  "leads.changed": { permission: "leads:read", isPersonal: true },
  "leads.imported": { permission: "leads:read", isPersonal: true },
  "prospects.uploaded": { permission: "prospecting:search", isPersonal: true },
  "voice.ready": { permission: "voice:read", isPersonal: true },
  "voice.failed": { permission: "voice:read", isPersonal: true },
  "credits.exhausted": { permission: "users:read", isPersonal: false },
  "webhook.disabled": { permission: "webhooks:read", isPersonal: false },
} as const satisfies Partial<Record<EventType, { permission: Permission; isPersonal: boolean }>>;
export type NotificationType = keyof typeof notificationTypes;
export const notificationTypeNames = Object.keys(notificationTypes) as NotificationType[];

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
