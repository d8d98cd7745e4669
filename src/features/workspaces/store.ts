import type { AuditEntry } from "../../platform/auth/audit/model.ts";
import type { HolderLookup, Member, Workspace, WorkspaceLookup } from "../../platform/auth/workspace-model.ts";
import type { User } from "../../platform/auth/user-model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

export type WorkspaceChange = { updatedAt: number } & Partial<Pick<Workspace, "name" | "timeZone">>;

/** A member with what is shown of the user. */
export type MemberOfWorkspace = { member: Member; user: User };

export type WorkspaceStore = HolderLookup &
  WorkspaceLookup & {
    /** Updates the given fields; null if the workspace does not exist. */
    update(id: WorkspaceId, change: WorkspaceChange, audit: AuditEntry): Promise<Workspace | null>;
    /** The workspaces of a user, oldest membership first, also those in which they are deactivated. */
    ofUser(userId: UserId): Promise<{ workspace: Workspace; member: Member }[]>;
    /** Oldest first. */
    members(id: WorkspaceId): Promise<MemberOfWorkspace[]>;
    member(id: WorkspaceId, userId: UserId): Promise<MemberOfWorkspace | null>;
  };
