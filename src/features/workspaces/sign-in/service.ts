import { runOutsideRequest } from "../../../lib/concurrency/outside-request.ts";
import { auditEntry } from "../../../platform/auth/audit/entry.ts";
import type { Origin } from "../../../platform/auth/audit/model.ts";
import { requireAdmin, type Caller } from "../../../platform/auth/caller.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Member } from "../../../platform/auth/workspace-model.ts";
import { isoTime, type Clock, type Ids } from "../../../platform/base/clock.ts";
import { notFound } from "../../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { Log } from "../../../platform/base/log.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import type { NewSession } from "../sessions/model.ts";
import type { SessionService } from "../sessions/service.ts";
import { nameOf } from "../users/service.ts";
import type { UserStore } from "../users/store.ts";
import { personProblem, recognize } from "./decisions.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type {
  Identity,
  IdentityView,
  IssuedPerson,
  PendingSignIn,
  SignInMethods,
  SignInPolicy,
  SignInProblem,
} from "./model.ts";
import type { IdentityChange, IdentityFacts, IdentityStore } from "./store.ts";

type Parts = {
  /** Null: nobody signs in this way. */
  provider: IdentityProvider | null;
  policy: SignInPolicy;
  store: IdentityStore;
  users: UserStore;
  sessions: SessionService;
  /** Mails a link that signs in; null: the server sends no mail. */
  sendLink: ((user: User, path: string) => Promise<void>) | null;
  clock: Clock;
  ids: Ids;
  log: Log;
};

type SignedIn = NewSession & { caller: Caller };

/** Signs people in by an OpenID Connect issuer, and links their accounts there to users. */
export class SignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get methods(): SignInMethods {
    const { provider, sendLink } = this.#parts;
    return { openId: provider && { name: provider.name }, isMailAvailable: sendLink !== null };
  }

  /**
   * Mails a sign-in link to the user with this address, if there is one. In the background, so that nobody learns from the
   * time that it takes whether there is.
   */
  requestLink(address: string): void {
    void runOutsideRequest(() => this.#mailLink(address)).catch((error: unknown) =>
      this.#parts.log.error({ err: error }, "could not mail a sign-in link"),
    );
  }

  async #mailLink(address: string): Promise<void> {
    const { users, sessions, sendLink } = this.#parts;
    const user = await users.byAddress(canonicalEmail(address));
    if (sendLink === null || user === null || !user.isActive) return;
    const link = await sessions.linkFor(user.id);
    if (link !== null) await sendLink(user, link.path);
  }

  /** Where to send a browser that wants to sign in, and what it must return with. */
  async begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn } | SignInProblem> {
    const { provider, log } = this.#parts;
    if (provider === null) return "unavailable";
    const begun = await provider.begin(redirectUri);
    if (begun.url !== null) return begun;
    log.warn({ reason: begun.detail }, "the OpenID Connect issuer cannot be used");
    return "unavailable";
  }

  /** Starts a session for the person whom the issuer vouches for. `mayChange`: whether the server accepts changes. */
  async finish(
    answered: URL,
    pending: PendingSignIn,
    origin: Origin,
    mayChange: boolean,
  ): Promise<SignedIn | SignInProblem> {
    const { provider, policy, sessions, log } = this.#parts;
    if (provider === null) return "unavailable";
    const outcome = await provider.finish(answered, pending);
    if (outcome.kind === "failed") {
      log.warn({ problem: outcome.problem, reason: outcome.detail }, "sign-in by OpenID Connect failed");
      return outcome.problem;
    }
    const { person } = outcome;
    const problem = personProblem(person, policy);
    if (problem !== null) return problem;
    const found = await this.#resolve({ ...person, email: person.email ?? "" }, origin, mayChange);
    if (typeof found === "string") return found;
    return (await sessions.startFor(found.userId, found.workspaceId, origin)) ?? "noWorkspace";
  }

  /** For admins of the installation. Throws NOT_FOUND for an unknown user. */
  async identities(caller: Caller, userId: UserId): Promise<IdentityView[]> {
    requireAdmin(caller);
    if ((await this.#parts.users.get(userId)) === null) throw notFound("user", userId);
    return (await this.#parts.store.ofUser(userId)).map(identityView);
  }

  /** For admins of the installation. Throws NOT_FOUND if the user has no such identity. */
  async unlink(caller: Caller, userId: UserId, id: string): Promise<void> {
    const { store, clock } = this.#parts;
    requireAdmin(caller);
    const audit = auditEntry(caller, clock.now(), {
      ...{ action: "identity.removed", workspaceId: caller.workspaceId },
      target: { type: "user", id: userId },
    });
    if (!(await store.remove(userId, id, audit))) throw notFound("identity", id);
  }

  async #resolve(
    person: IssuedPerson & { email: string },
    origin: Origin,
    mayChange: boolean,
  ): Promise<{ userId: UserId; workspaceId: WorkspaceId | null } | SignInProblem> {
    const { store, policy } = this.#parts;
    const key = { issuer: person.issuer, subject: person.subject, emailKey: canonicalEmail(person.email) };
    let resolved: { userId: UserId; workspaceId: WorkspaceId | null } | null = null;
    try {
      await store.resolve(key, policy.workspaceId, (facts) => {
        const change = this.#change(facts, person, key.emailKey, origin, mayChange);
        const { identity, newcomer } = change;
        resolved = { userId: identity.userId, workspaceId: newcomer?.member.workspaceId ?? null };
        return change;
      });
    } catch (error) {
      if (error instanceof Refused) return error.problem;
      throw error;
    }
    return resolved!;
  }

  #change(
    facts: IdentityFacts,
    { issuer, subject, email, name }: IssuedPerson & { email: string },
    emailKey: string,
    origin: Origin,
    mayChange: boolean,
  ): IdentityChange {
    const { policy, clock, ids } = this.#parts;
    const now = clock.now();
    const found = recognize(facts, policy, mayChange);
    if (found.kind === "refuse") throw new Refused(found.problem);
    if (found.kind === "user")
      return { identity: { ...facts.known!.identity, email, lastUsedAt: now }, newcomer: null, audit: null };
    const times = { createdAt: now, updatedAt: now };
    const newcomer = (workspace: { id: WorkspaceId; timeZone: string }): { user: User; member: Member } => {
      const user: User = {
        ...{ id: ids.next(now), email, emailKey, name: nameOf(name), role: "member" as const },
        ...{ timeZone: workspace.timeZone, isActive: true, ...times },
      };
      const grant = { role: policy.role ?? "viewer", permissions: null };
      return { user, member: { workspaceId: workspace.id, userId: user.id, ...grant, isActive: true, ...times } };
    };
    const added = found.kind === "provision" ? newcomer(found.workspace) : null;
    const userId = found.kind === "link" ? found.user.id : added!.user.id;
    const identity: Identity = { id: ids.next(now), userId, issuer, subject, email, createdAt: now, lastUsedAt: now };
    const audit = auditEntry(null, now, {
      ...{ action: "identity.linked", workspaceId: added?.member.workspaceId ?? null, origin },
      target: { type: "user", id: userId },
      details: { issuer, isNewUser: added !== null, ...(added !== null && { role: added.member.role }) },
    });
    return { identity, newcomer: added, audit };
  }
}

/** Leaves the transaction without changes. */
class Refused extends Error {
  constructor(readonly problem: SignInProblem) {
    super(problem);
    this.name = "Refused";
  }
}

function identityView({ id, issuer, subject, email, createdAt, lastUsedAt }: Identity): IdentityView {
  return { id, issuer, subject, email, createdAt: isoTime(createdAt), lastUsedAt: isoTime(lastUsedAt) };
}
