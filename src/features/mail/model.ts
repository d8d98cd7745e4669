import { Type, type Static } from "@sinclair/typebox";
import type { UserId } from "../../platform/base/ids.ts";
import { notificationKindNames, notificationKinds, type NotificationKind } from "../notifications/model.ts";

export type MailKind = NotificationKind | "invitation" | "signInLink" | "test";

/** Kinds that a user turned on or off. */
export type MailPreferences = Partial<Record<NotificationKind, boolean>>;

export const mailStates = ["pending", "sent", "failed"] as const;

export type Mail = {
  id: string;
  /** Names what it is about: of two with the same name, the second is not queued. */
  dedupe: string;
  kind: MailKind;
  /** Null: the recipient is not a user yet. */
  userId: UserId | null;
  recipient: string;
  subject: string;
  /** Plain text; null once it has been sent or given up. */
  body: string | null;
  state: (typeof mailStates)[number];
  tries: number;
  /** While it is being sent: when another node may try again. */
  dueAt: number;
  /** Why the last attempt failed. */
  reason: string | null;
  createdAt: number;
  endedAt: number | null;
};

export type MailOutcome =
  | { kind: "sent" }
  | { kind: "retry"; dueAt: number; reason: string }
  | { kind: "failed"; reason: string };

/** A mail that is about to be sent. */
export type OutgoingMail = { id: string; recipient: string; subject: string; body: string };

/** `isFinal`: the mail server refused the recipient or the content, so that another attempt would fail, too. */
export type SendResult = { isSent: true } | { isSent: false; isFinal: boolean; reason: string };

const kindFields = Object.fromEntries(
  notificationKindNames.map((kind) => [kind, Type.Boolean({ description: notificationKinds[kind].label })]),
) as Record<NotificationKind, ReturnType<typeof Type.Boolean>>;

export const NotificationSettingsView = Type.Object(
  {
    isAvailable: Type.Boolean({ description: "Whether the server sends mail. Without SMTP, nothing is sent." }),
    email: Type.String({ description: "Where notifications are sent: the address of the user." }),
    kinds: Type.Object(kindFields),
  },
  { $id: "NotificationSettings", description: "What a user is notified of by mail." },
);
export type NotificationSettingsView = Static<typeof NotificationSettingsView>;

export const NotificationSettingsInput = Type.Object(
  { kinds: Type.Partial(Type.Object(kindFields)) },
  { examples: [{ kinds: { dailyDigest: true } }] },
);
export type NotificationSettingsInput = Static<typeof NotificationSettingsInput>;

export const TestMailView = Type.Object({ recipient: Type.String() }, { $id: "TestMail" });
