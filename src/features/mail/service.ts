import { requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import type { User } from "../../platform/auth/user-model.ts";
import type { Clock, Ids } from "../../platform/base/clock.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import type { UserId } from "../../platform/base/ids.ts";
import type { Invitation } from "../workspaces/invitations/model.ts";
import type { UserStore } from "../workspaces/users/store.ts";
import { isOn, isRoutable } from "./decisions.ts";
import type { MailProvider } from "./mail-provider.ts";
import { notificationKindNames, type NotificationKind } from "../notifications/model.ts";
import { type Mail, type MailKind, type NotificationSettingsInput, type NotificationSettingsView } from "./model.ts";
import type { MailStore } from "./store.ts";
import { invitationText, signInText, type MailText } from "./texts.ts";

type Parts = {
  store: MailStore;
  /** Null: the server sends no mail. */
  provider: MailProvider | null;
  users: UserStore;
  clock: Clock;
  ids: Ids;
};

/** A link that signs in is mailed to an address at most once in this time. */
const signInIntervalMs = 60_000;

/** Queues mail to people. It is sent in the background, so that no request waits for a mail server. */
export class MailService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isAvailable(): boolean {
    return this.#parts.provider !== null;
  }

  /** False if nothing is sent: there is no mail server, or the address is only for this machine. */
  async sendInvitation(
    { id, email }: Pick<Invitation, "id" | "email">,
    workspace: string,
    inviter: string | null,
    url: string,
  ): Promise<boolean> {
    if (!this.isAvailable || !isRoutable(email)) return false;
    await this.#enqueue("invitation", `invitation:${id}`, null, email, invitationText(workspace, inviter, url));
    return true;
  }

  /** Mails a link that signs in, at most once a minute. */
  async sendSignInLink(user: User, url: string): Promise<void> {
    if (!this.isAvailable || !isRoutable(user.email)) return;
    const slot = Math.floor(this.#parts.clock.now() / signInIntervalMs);
    await this.#enqueue("signInLink", `signIn:${user.id}:${slot}`, user.id, user.email, signInText(url));
  }

  /** Sends a mail to the caller at once. For admins. Throws SERVICE_UNAVAILABLE with the reason if the mail server refuses it. */
  async sendTest(caller: Caller): Promise<{ recipient: string }> {
    const { provider, users, clock, ids } = this.#parts;
    requireAdmin(caller);
    const user = caller.userId === null ? null : await users.get(caller.userId);
    if (user === null)
      throw invalid([{ path: "", message: "A global key has no address to send a mail to. Use the key of a user." }]);
    if (provider === null)
      throw new ApiError("CONFLICT", { message: "The server sends no mail. Set smtp-host and smtp-from first." });
    if (!isRoutable(user.email))
      throw new ApiError("CONFLICT", {
        message: `Mail cannot be delivered to ${user.email}. Set your address in your profile first.`,
      });
    const text = { subject: "Test mail of outreachd", body: "Mail from outreachd reaches you." };
    const result = await provider.send({ id: ids.next(clock.now()), recipient: user.email, ...text });
    if (!result.isSent) throw new ApiError("CONFLICT", { message: `The mail was not sent: ${result.reason}` });
    return { recipient: user.email };
  }

  async settings(user: User): Promise<NotificationSettingsView> {
    const stored = (await this.#parts.store.preferences([user.id])).get(user.id);
    const kinds = Object.fromEntries(notificationKindNames.map((kind) => [kind, isOn(stored, kind)]));
    return { isAvailable: this.isAvailable, email: user.email, kinds: kinds as Record<NotificationKind, boolean> };
  }

  /** Changes the kinds that are sent. */
  async update(user: User, { kinds }: NotificationSettingsInput): Promise<NotificationSettingsView> {
    const { store, clock } = this.#parts;
    const stored = (await store.preferences([user.id])).get(user.id);
    await store.setPreferences(user.id, { ...stored, ...kinds }, clock.now());
    return this.settings(user);
  }

  async #enqueue(
    kind: MailKind,
    dedupe: string,
    userId: UserId | null,
    recipient: string,
    text: MailText,
  ): Promise<void> {
    const { store, clock, ids } = this.#parts;
    await store.enqueue([newMail({ kind, dedupe, userId, recipient }, text, clock.now(), ids)]);
  }
}

export function newMail(
  about: Pick<Mail, "kind" | "dedupe" | "userId" | "recipient">,
  { subject, body }: MailText,
  now: number,
  ids: Ids,
): Mail {
  const state = { state: "pending", tries: 0, dueAt: now, reason: null, createdAt: now, endedAt: null } as const;
  return { id: ids.next(now), ...about, subject, body, ...state };
}
