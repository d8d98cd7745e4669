import { auditEntry } from "../../../platform/auth/audit/entry.ts";
import { singleLine } from "../../../platform/base/text.ts";
import { type Clock, type Ids, isoTime } from "../../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError, requireFields } from "../../../platform/base/errors.ts";
import { requireAdmin, type Caller } from "../../../platform/auth/caller.ts";
import type { KeyRing } from "../../../platform/auth/access.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import type { UserId } from "../../../platform/base/ids.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { ManagedUserUpdate, User, UserInput, UserUpdate, UserView } from "../../../platform/auth/user-model.ts";
import { defaultTimeZone, newWorkspace, timeZoneErrors, type WorkspaceDefaults } from "../new-workspace.ts";
import type { UserChange, UserFacts, UserStore } from "./store.ts";

/** Printable, with a single @ in the middle. "admin@localhost" is allowed. */
const emailPattern = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** Manages the users of the team. Each starts with a network account and an initial credit grant. */
export class UserService {
  readonly #users: UserStore;
  readonly #ring: KeyRing;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #defaults: WorkspaceDefaults;

  constructor(users: UserStore, ring: KeyRing, clock: Clock, ids: Ids, defaults: WorkspaceDefaults) {
    this.#users = users;
    this.#ring = ring;
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
    const timeZone = input.timeZone ?? defaultTimeZone(this.#defaults);
    const errors = [...addressErrors(email), ...timeZoneErrors(timeZone)];
    if (errors.length > 0) throw invalid(errors);

    const id = this.#ids.next(now);
    const times = { createdAt: now, updatedAt: now };
    const name = nameOf(input.name ?? null);
    const role = input.role ?? "member";
    const user: User = { id, email, emailKey: canonicalEmail(email), name, role, timeZone, isActive: true, ...times };
    // Under the same ID, so that a client may name either.
    const owned = { id, ownerId: id, name: name ?? email, timeZone };
    const created = newWorkspace(owned, this.#defaults, now, () => this.#ids.next(now));
    const target = { type: "user", id: user.id };
    const isNew = await this.#users.insert({
      ...created,
      user,
      key: keyFor(user),
      audit: auditEntry(caller, now, {
        action: "user.created",
        workspaceId: id,
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

  /** Throws CONFLICT if another user has the address. */
  async update(caller: Caller, id: UserId, input: UserUpdate): Promise<UserView> {
    return userView(await this.#change(caller, id, input));
  }

  /**
   * For admins of the installation and global keys. Throws CONFLICT if no active admin would be left, or if another user has
   * the address.
   */
  async manage(caller: Caller, id: UserId, input: ManagedUserUpdate): Promise<UserView> {
    requireAdmin(caller);
    requireFields(input);
    return userView(await this.#change(caller, id, input));
  }

  async #change(caller: Caller, id: UserId, input: ManagedUserUpdate): Promise<User> {
    const now = this.#clock.now();
    const change: UserChange = { ...changeOf(input), updatedAt: now };
    const audit = auditEntry(caller, now, {
      action: "user.updated",
      workspaceId: caller.workspaceId,
      target: { type: "user", id },
      details: { changed: Object.keys(input) },
    });
    const user = await this.#users.change(id, change.emailKey ?? null, (facts) => {
      const problem = userProblem(facts, change);
      if (problem !== null) throw new ApiError("CONFLICT", { message: problem });
      return { change, audit };
    });
    if (user === null) throw notFound("user", id);
    this.#ring.forget();
    return user;
  }

  async #require(id: UserId): Promise<User> {
    const user = await this.#users.get(id);
    if (user === null) throw notFound("user", id);
    return user;
  }
}

/** The fields to write. Throws VALIDATION_ERROR for those that are wrong. */
function changeOf({ email, name, timeZone, role, isActive }: ManagedUserUpdate): Omit<UserChange, "updatedAt"> {
  const address = email?.trim();
  const errors = [
    ...(address === undefined ? [] : addressErrors(address)),
    ...(timeZone === undefined ? [] : timeZoneErrors(timeZone)),
  ];
  if (errors.length > 0) throw invalid(errors);
  return {
    ...(address !== undefined && { email: address, emailKey: canonicalEmail(address) }),
    ...(name !== undefined && { name: nameOf(name) }),
    ...(timeZone !== undefined && { timeZone }),
    ...(role !== undefined && { role }),
    ...(isActive !== undefined && { isActive }),
  };
}

/** Why a user cannot be changed like this; null if they can. */
export function userProblem({ user, otherAdmins, isTaken }: UserFacts, change: UserChange): string | null {
  if (isTaken) return `A user with the email address ${change.email} already exists.`;
  const wasAdmin = user.role === "admin" && user.isActive;
  const staysAdmin = (change.role ?? user.role) === "admin" && (change.isActive ?? user.isActive);
  if (wasAdmin && !staysAdmin && otherAdmins === 0)
    return "This is the only active admin. Make another user an admin first.";
  return null;
}

export function addressErrors(email: string): FieldError[] {
  return emailPattern.test(email)
    ? []
    : [{ path: "email", message: `"${singleLine(email)}" is not an email address.` }];
}

/** Removes control characters, which could manipulate the terminals that show the name. */
export function nameOf(sent: string | null): string | null {
  return sent === null ? null : singleLine(sent) || null;
}

export function userView({ emailKey: _key, ...user }: User): UserView {
  return { ...user, createdAt: isoTime(user.createdAt), updatedAt: isoTime(user.updatedAt) };
}
