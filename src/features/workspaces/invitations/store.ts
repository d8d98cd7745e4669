import type { AuditEntry } from "../../../platform/auth/audit/model.ts";
import type { ApiKey } from "../../../platform/auth/key-model.ts";
import type { User } from "../../../platform/auth/user-model.ts";
import type { Member, Workspace } from "../../../platform/auth/workspace-model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import type { MemberOfWorkspace } from "../store.ts";
import type { Invitation } from "./model.ts";

/** What it takes to decide on an invitation, as it is now. */
export type InvitationFacts = {
  invitation: Invitation;
  workspace: Workspace;
  /** Null: a global key, or no longer a member. */
  inviter: MemberOfWorkspace | null;
  /** The user with the invited address. */
  invited: User | null;
  /** Their membership in the workspace. */
  membership: Member | null;
  members: number;
};

/** What a workspace has when somebody is invited. */
export type InvitingFacts = { isMember: boolean; members: number; openInvitations: number };

/** What accepting an invitation stores. */
export type Acceptance = {
  /** A new user; null if they exist. */
  user: User | null;
  member: Member;
  key: ApiKey;
  audit: AuditEntry;
};

export type InvitationStore = {
  /**
   * Stores an invitation in place of an earlier one for the same address. What `check` throws, the promise rejects with, and
   * nothing is changed.
   */
  insert(invitation: Invitation, audit: AuditEntry, check: (facts: InvitingFacts) => void): Promise<void>;
  /** Those that have not expired, newest first, at most `limit`, after the position `after`. */
  list(workspaceId: WorkspaceId, now: number, limit: number, after: TimePlace | null): Promise<Invitation[]>;
  count(workspaceId: WorkspaceId, now: number): Promise<number>;
  get(workspaceId: WorkspaceId, id: string): Promise<Invitation | null>;
  /** False if it does not exist. */
  remove(workspaceId: WorkspaceId, id: string, audit: AuditEntry): Promise<boolean>;
  /** By the hash of the token. */
  find(hash: string): Promise<InvitationFacts | null>;
  /**
   * Accepts an invitation in one transaction, which deletes it, so that it works once. What `decide` throws, the promise
   * rejects with, and nothing is changed.
   */
  accept(hash: string, decide: (facts: InvitationFacts | null) => Acceptance): Promise<void>;
  /** Deletes expired invitations, up to `limit`; returns how many. */
  sweep(now: number, limit: number): Promise<number>;
};
