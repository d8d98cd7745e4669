import { auditEntry } from "../../../platform/auth/audit/entry.ts";
import { singleLine } from "../../../platform/base/text.ts";
import { type Clock, type Ids, isoTime } from "../../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../../../platform/base/errors.ts";
import { requireAdmin, type Caller } from "../../../platform/auth/caller.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import type { ConnectorName } from "../../network/account-model.ts";
import { isTimeZone } from "../../network/governor/zone.ts";
import { newAccount } from "../../network/new-account.ts";
import type { UserId } from "../../../platform/base/ids.ts";
import type { Member, Workspace } from "../../../platform/auth/workspace-model.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { User, UserInput, UserUpdate, UserView } from "../../../platform/auth/user-model.ts";
import type { UserStore } from "./store.ts";

export type UserDefaults = {
  /** Null = the time zone of this machine. */
  timeZone: string | null;
  connector: ConnectorName;
  credits: number;
};

/** Printable, with a single @ in the middle. "admin@localhost" is allowed. */
const emailPattern = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** Manages the users of the team. Each starts with a network account and an initial credit grant. */
export class UserService {
  readonly #users: UserStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #defaults: UserDefaults;

  constructor(users: UserStore, clock: Clock, ids: Ids, defaults: UserDefaults) {
    this.#users = users;
    this.#clock = clock;
    this.#ids = ids;
    this.#defaults = defaults;
  }

  /** For admins and global keys. Throws CONFLICT if the email address is taken. */
  async create(caller: Caller, input: UserInput): Promise<UserView> {
    requireAdmin(caller);
    return userView(await this.add(input, () => null, caller));
  }

  /**
   * Adds a user together with the key returned by `keyFor`, if any, in one transaction. Also used at first start, which
   * has no caller. Throws the same errors as `create`.
   */
  async add(input: UserInput, keyFor: (user: User) => ApiKey | null, caller: Caller | null = null): Promise<User> {
    const now = this.#clock.now();
    const email = input.email.trim();
    const timeZone = input.timeZone ?? this.#defaults.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const errors: FieldError[] = [];
    if (!emailPattern.test(email))
      errors.push({ path: "email", message: `"${singleLine(email)}" is not an email address.` });
    errors.push(...timeZoneErrors(timeZone));
    if (errors.length > 0) throw invalid(errors);

    const id = this.#ids.next(now);
    const times = { createdAt: now, updatedAt: now };
    const name = nameOf(input.name ?? null);
    const role = input.role ?? "member";
    const user: User = { id, email, emailKey: canonicalEmail(email), name, role, timeZone, isActive: true, ...times };
    // Under the same ID, so that a client may name either.
    const workspace: Workspace = { id, name: name ?? email, timeZone, ...times };
    const member: Member = { workspaceId: id, userId: id, role: "owner", permissions: null, isActive: true, ...times };
    const { credits } = this.#defaults;
    const grant = {
      id: this.#ids.next(now),
      workspaceId: workspace.id,
      kind: "grant",
      amount: credits,
      note: "Initial grant",
      createdAt: now,
    } as const;
    const target = { type: "user", id: user.id };
    const isNew = await this.#users.insert({
      user,
      workspace,
      member,
      account: newAccount(this.#ids.next(now), workspace.id, timeZone, this.#defaults.connector, now),
      grant: credits > 0 ? grant : null,
      key: keyFor(user),
      audit: auditEntry(caller, now, {
        action: "user.created",
        workspaceId: workspace.id,
        target,
        details: { role: user.role },
      }),
    });
    if (!isNew) throw new ApiError("CONFLICT", { message: `A user with the email address ${email} already exists.` });
    return user;
  }

  /** For admins and global keys. */
  async list(
    caller: Caller,
    limit: number,
    offset: number,
    after: TimePlace | null,
  ): Promise<{ users: User[]; total: number }> {
    requireAdmin(caller);
    const [users, total] = await Promise.all([this.#users.list(limit, offset, after), this.#users.count()]);
    return { users, total };
  }

  async get(id: UserId): Promise<UserView> {
    return userView(await this.#require(id));
  }

  async count(): Promise<number> {
    return this.#users.count();
  }

  async update(caller: Caller, id: UserId, input: UserUpdate): Promise<UserView> {
    const { name, timeZone } = input;
    const errors = timeZone === undefined ? [] : timeZoneErrors(timeZone);
    if (errors.length > 0) throw invalid(errors);
    const now = this.#clock.now();
    const change = {
      ...(name !== undefined && { name: nameOf(name) }),
      ...(timeZone !== undefined && { timeZone }),
      updatedAt: now,
    };
    const details = { changed: Object.keys(change).filter((field) => field !== "updatedAt") };
    const event = {
      action: "user.updated",
      workspaceId: caller.workspaceId,
      target: { type: "user", id },
      details,
    } as const;
    const user = await this.#users.update(id, change, auditEntry(caller, now, event));
    if (user === null) throw notFound("user", id);
    return userView(user);
  }

  async #require(id: UserId): Promise<User> {
    const user = await this.#users.get(id);
    if (user === null) throw notFound("user", id);
    return user;
  }
}

/** Removes control characters, which could manipulate the terminals that show the name. */
function nameOf(sent: string | null): string | null {
  return sent === null ? null : singleLine(sent) || null;
}

function timeZoneErrors(timeZone: string): FieldError[] {
  if (isTimeZone(timeZone)) return [];
  return [
    {
      path: "timeZone",
      message: `"${timeZone}" is not an IANA time zone. Examples: Europe/Berlin, America/New_York, UTC.`,
    },
  ];
}

export function userView({ emailKey: _key, isActive: _isActive, ...user }: User): UserView {
  return { ...user, createdAt: isoTime(user.createdAt), updatedAt: isoTime(user.updatedAt) };
}
