import type { UserId, WorkspaceId } from "../base/ids.ts";
import type { Permission } from "./key-model.ts";
import type { MemberRole, RoleGrant } from "./member-role.ts";
import type { Role } from "./user-model.ts";

/** Owns leads, accounts, campaigns, voices, credits, and everything else that a team shares. */
export type Workspace = {
  id: WorkspaceId;
  name: string;
  /** IANA name. */
  timeZone: string;
  createdAt: number;
  updatedAt: number;
};

/** A user in a workspace. */
export type Member = {
  workspaceId: WorkspaceId;
  userId: UserId;
  role: MemberRole;
  /** Null unless the role is custom. */
  permissions: Permission[] | null;
  /** A deactivated member keeps their leads and accounts, and none of their keys works. */
  isActive: boolean;
  createdAt: number;
  updatedAt: number;
};

/** Who holds a key: an active user who is an active member of its workspace. */
export type Holder = { role: Role; member: RoleGrant };

/** The part of the workspace store that finds who holds a key. Null if they are not active in the workspace. */
export type HolderLookup = { holder(workspaceId: WorkspaceId, userId: UserId): Promise<Holder | null> };

/** The part of the workspace store that finds a workspace. */
export type WorkspaceLookup = { get(id: WorkspaceId): Promise<Workspace | null> };
