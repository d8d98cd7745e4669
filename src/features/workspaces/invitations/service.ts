import { auditEntry } from "../../../platform/auth/audit/entry.ts";
import type { Origin } from "../../../platform/auth/audit/model.ts";
import { hashOf, type KeyRing } from "../../../platform/auth/access.ts";
import { denied, requireApprover, type Caller } from "../../../platform/auth/caller.ts";
import { permissions as allPermissions, type Grant } from "../../../platform/auth/key-model.ts";
import { mayGrant } from "../../../platform/auth/may-grant.ts";
import { wholeKey } from "../../../platform/auth/member-role.ts";
import { knownPermissions } from "../../../platform/auth/known-permissions.ts";
import { managerOf, mayManage } from "../../../platform/auth/may-manage.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Member } from "../../../platform/auth/workspace-model.ts";
import { isoTime, type Clock, type Ids } from "../../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import type { KeyService } from "../keys/service.ts";
import { newKeyView } from "../keys/views.ts";
import { requireChange, requireRole } from "../members/service.ts";
import { timeZoneErrors } from "../new-workspace.ts";
import { addressErrors, nameOf, userView } from "../users/service.ts";
import { invitingProblem, isOpen } from "./decisions.ts";
import type {
  AcceptedInvitation,
  AcceptInput,
  Invitation,
  InvitationInput,
  InvitationPreview,
  InvitationView,
  NewInvitationView,
} from "./model.ts";
import type { Acceptance, InvitationFacts, InvitationStore } from "./store.ts";

const validMs = 7 * 86_400_000;
const tokenBytes = 32;
const sweepBatchSize = 1000;

type Parts = {
  store: InvitationStore;
  keys: KeyService;
  ring: KeyRing;
  clock: Clock;
  ids: Ids;
  /** URL at which browsers reach the server, or "" while it is unknown. */
  baseUrl: () => string;
  /** Mails an invitation. False if the server sends no mail. */
  sendMail: (invitation: Invitation, caller: Caller, url: string) => Promise<boolean>;
};

/**
 * Invites people to workspaces. Who has the link of an invitation becomes a member, once, within a week. Only the hash of its
 * token is stored.
 */
export class InvitationService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Invites a person by address, in place of an earlier invitation. Throws PERMISSION_DENIED by the rules of `mayManage`, and
   * CONFLICT for members and full workspaces.
   */
  async create(caller: Caller, workspaceId: WorkspaceId, input: InvitationInput): Promise<NewInvitationView> {
    const { store, clock, ids, baseUrl, sendMail } = this.#parts;
    const email = input.email.trim();
    const errors = addressErrors(email);
    if (errors.length > 0) throw invalid(errors);
    const permissions = input.permissions === undefined ? null : knownPermissions(input.permissions);
    const grant = { role: input.role, permissions };
    requireRole(grant);
    requireApprover(caller, "invite people");
    requireChange(caller, mayManage(managerOf(caller), { before: null, after: grant }));

    const now = clock.now();
    const token = Buffer.from(ids.secretBytes(tokenBytes)).toString("base64url");
    const invitation: Invitation = {
      id: ids.next(now),
      workspaceId,
      email,
      emailKey: canonicalEmail(email),
      ...grant,
      hash: hashOf(token),
      invitedBy: caller.userId,
      createdAt: now,
      expiresAt: now + validMs,
    };
    const audit = this.#audit(caller, "invitation.created", invitation);
    await store.insert(invitation, audit, (facts) => {
      const problem = invitingProblem(facts);
      if (problem !== null) throw new ApiError("CONFLICT", { message: problem });
    });
    // The token follows the #, so that no server, proxy, or log sees it.
    const url = `${baseUrl()}/app/join#${token}`;
    return { ...invitationView(invitation), url, isMailed: await sendMail(invitation, caller, url) };
  }

  /** Newest first. */
  async list(
    workspaceId: WorkspaceId,
    limit: number,
    after: TimePlace | null,
  ): Promise<{ invitations: { view: InvitationView; place: TimePlace }[]; total: number }> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const [found, total] = await Promise.all([
      store.list(workspaceId, now, limit, after),
      store.count(workspaceId, now),
    ]);
    return { invitations: found.map((place) => ({ view: invitationView(place), place })), total };
  }

  async revoke(caller: Caller, workspaceId: WorkspaceId, id: string): Promise<void> {
    const { store } = this.#parts;
    const invitation = await store.get(workspaceId, id);
    if (invitation === null) throw notFound("invitation", id);
    requireChange(caller, mayManage(managerOf(caller), { before: invitation, after: null }));
    const audit = this.#audit(caller, "invitation.revoked", invitation);
    if (!(await store.remove(workspaceId, id, audit))) throw notFound("invitation", id);
  }

  /** What the person with the link is shown. Throws UNAUTHORIZED for a link that does not work. */
  async preview(token: string): Promise<InvitationPreview> {
    const { invitation, workspace, inviter, invited } = this.#openOne(await this.#parts.store.find(hashOf(token)));
    return {
      workspace: { name: workspace.name },
      email: invitation.email,
      role: invitation.role,
      invitedBy: inviter && (inviter.user.name ?? inviter.user.email),
      hasAccount: invited !== null,
      expiresAt: isoTime(invitation.expiresAt),
    };
  }

  /**
   * Makes a new user of the person with the link. Throws UNAUTHORIZED for a link that does not work, and CONFLICT if a user
   * has the address: having the link does not prove to be that user, so they `join` instead.
   */
  async accept({ token, name, timeZone }: AcceptInput, origin: Origin): Promise<AcceptedInvitation> {
    const errors = timeZone === undefined ? [] : timeZoneErrors(timeZone);
    if (errors.length > 0) throw invalid(errors);
    return this.#accept(token, { caller: null, origin }, (facts, now) => {
      const { invitation, workspace, invited } = facts;
      if (invited !== null)
        throw new ApiError("CONFLICT", {
          message: `A user with the address ${invitation.email} exists. Sign in as that user, then open the link again.`,
        });
      return {
        id: this.#parts.ids.next(now),
        email: invitation.email,
        emailKey: invitation.emailKey,
        name: nameOf(name ?? null),
        role: "member",
        timeZone: timeZone ?? workspace.timeZone,
        isActive: true,
        createdAt: now,
        updatedAt: now,
      };
    });
  }

  /**
   * Makes the user of the key a member, with a key of the same permissions. Throws CONFLICT if the invitation is for another
   * address, and PERMISSION_DENIED if the key has less than the role of the invitation.
   */
  async join(caller: Caller, token: string): Promise<AcceptedInvitation> {
    const userId = joiningUser(caller);
    const limits = await this.#parts.keys.limitsOf(caller);
    return this.#accept(token, { caller, permissions: limits.permissions }, ({ invitation, invited }) => {
      if (mayGrant(limits, wholeKey(invitation)) !== null)
        throw denied(caller, "*", "A restricted API key cannot join a workspace. Use one with all permissions.");
      if (invited?.id === userId) return invited;
      throw new ApiError("CONFLICT", {
        message: `This invitation is for ${invitation.email}, who is another user. Sign in as that user, or ask for an invitation for your address.`,
      });
    });
  }

  async sweep(): Promise<void> {
    const { store, clock } = this.#parts;
    while ((await store.sweep(clock.now(), sweepBatchSize)) >= sweepBatchSize);
  }

  async #accept(
    token: string,
    {
      caller,
      origin,
      permissions = allPermissions,
    }: { caller: Caller | null; origin?: Origin; permissions?: readonly Grant[] },
    userOf: (facts: InvitationFacts, now: number) => User,
  ): Promise<AcceptedInvitation> {
    const { store, keys, ring, clock } = this.#parts;
    const now = clock.now();
    let accepted: AcceptedInvitation | null = null;
    await store.accept(hashOf(token), (found): Acceptance => {
      const facts = this.#openOne(found);
      const { invitation, workspace, invited, membership, members } = facts;
      const user = userOf(facts, now);
      const problem = invitingProblem({ isMember: membership !== null, members, openInvitations: 0 });
      if (problem !== null) throw new ApiError("CONFLICT", { message: problem });
      const { workspaceId, role } = invitation;
      const times = { createdAt: now, updatedAt: now };
      const grant = { role, permissions: invitation.permissions };
      const member: Member = { workspaceId, userId: user.id, ...grant, isActive: true, ...times };
      const { key, secret } = keys.make({ workspaceId, userId: user.id }, "first key", [...permissions], null);
      const { id, name } = workspace;
      accepted = { user: userView(user), workspace: { id, name }, key: newKeyView(key, secret) };
      const audit = auditEntry(caller, now, {
        ...(origin && { origin }),
        action: "invitation.accepted",
        workspaceId,
        target: { type: "member", id: user.id },
        details: { role, isNewUser: invited === null },
      });
      return { user: invited === null ? user : null, member, key, audit };
    });
    ring.forget();
    return accepted!;
  }

  #openOne(facts: InvitationFacts | null): InvitationFacts {
    if (facts !== null && isOpen(facts, this.#parts.clock.now())) return facts;
    const message = "This invitation has expired, was used, or was revoked. Ask the person who sent it for a new one.";
    throw new ApiError("UNAUTHORIZED", { message });
  }

  #audit(caller: Caller, action: "invitation.created" | "invitation.revoked", { id, workspaceId, role }: Invitation) {
    const target = { type: "invitation", id };
    return auditEntry(caller, this.#parts.clock.now(), { action, workspaceId, target, details: { role } });
  }
}

/** The user who joins. */
function joiningUser(caller: Caller): UserId {
  requireApprover(caller, "join a workspace");
  if (caller.userId === null)
    throw denied(caller, "*", "A global key belongs to no user. Use a key of the invited user.");
  if (caller.expiresAt !== null)
    throw denied(caller, "*", "A key that expires cannot join a workspace. Use a key without an expiry.");
  return caller.userId;
}

function invitationView(invitation: Invitation): InvitationView {
  const { id, email, role, permissions, invitedBy, createdAt, expiresAt } = invitation;
  return { id, email, role, permissions, invitedBy, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}
