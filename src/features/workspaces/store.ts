import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { HolderLookup, Member, Workspace, WorkspaceLookup } from "../../platform/auth/workspace-model.ts";
import type { LedgerEntry } from "../credits/model.ts";
import type { NetworkAccount } from "../network/account-model.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type { User } from "../../platform/auth/user-model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

export type WorkspaceChange = { updatedAt: number } & Partial<Pick<Workspace, "name" | "timeZone">>;

/** A member with what is shown of the user. */
export type MemberOfWorkspace = { member: Member; user: User };

/** What a change of members is decided on, as it is in the transaction of the change. */
export type MemberFacts = {
  /** Those of the requested users who are members. */
  members: readonly Member[];
  /** Owners whose membership and user are active. */
  activeOwners: number;
};

/** Members to add or change, and to remove. The keys and sessions of removed members are deleted with them. */
export type MemberChanges = { write: readonly Member[]; remove: readonly UserId[]; audit: AuditEntry };

/** A new workspace with everything it starts with. */
export type NewWorkspace = {
  workspace: Workspace;
  /** Its owner. */
  member: Member;
  account: NetworkAccount;
  grant: LedgerEntry | null;
  audit: AuditEntry;
};

export type WorkspaceStore = HolderLookup &
  WorkspaceLookup & {
    /** Updates the given fields; null if the workspace does not exist. */
    update(id: WorkspaceId, change: WorkspaceChange, audit: AuditEntry): Promise<Workspace | null>;
    insert(workspace: NewWorkspace): Promise<void>;
    /** Oldest first, at most `limit`, starting after `after`. */
    list(limit: number, after: TimePlace | null): Promise<Workspace[]>;
    count(): Promise<number>;
    /** The workspaces of a user, oldest membership first, also those in which they are deactivated. */
    ofUser(userId: UserId): Promise<{ workspace: Workspace; member: Member }[]>;
    /** Oldest first. */
    members(id: WorkspaceId): Promise<MemberOfWorkspace[]>;
    member(id: WorkspaceId, userId: UserId): Promise<MemberOfWorkspace | null>;
    /** Changes members in one transaction. What `decide` throws, the promise rejects with, and nothing is changed. */
    changeMembers(
      id: WorkspaceId,
      userIds: readonly UserId[],
      decide: (facts: MemberFacts) => MemberChanges,
    ): Promise<void>;
  };
