import { onlyWorkspace, type Acting, type Named } from "../../platform/auth/access.ts";
import { requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import type { Workspace } from "../../platform/auth/workspace-model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import { notFound } from "../../platform/base/errors.ts";
import type { UserStore } from "./users/store.ts";
import type { WorkspaceStore } from "./store.ts";

/** Finds workspaces, and what IDs in requests stand for. */
export class WorkspaceService {
  readonly #workspaces: WorkspaceStore;
  readonly #users: UserStore;

  constructor(workspaces: WorkspaceStore, users: UserStore) {
    this.#workspaces = workspaces;
    this.#users = users;
  }

  async get(id: WorkspaceId): Promise<Workspace> {
    const workspace = await this.#workspaces.get(id);
    if (workspace === null) throw notFound("workspace", id);
    return workspace;
  }

  /** What an ID in a request stands for. A user's own workspace has the ID of the user, and then it is meant. */
  async find(id: string): Promise<Named> {
    const [own, user, memberships] = await Promise.all([
      this.#workspaces.get(id),
      this.#users.get(id),
      this.#workspaces.ofUser(id),
    ]);
    const active = memberships.filter(({ member }) => member.isActive).map(({ workspace }) => workspace.id);
    return { workspaceIds: own === null ? active : [own.id], userId: user?.id ?? null };
  }

  /** Whether an ID is that of a member, active or not. */
  async isMember(workspaceId: WorkspaceId, userId: UserId): Promise<boolean> {
    return (await this.#workspaces.member(workspaceId, userId)) !== null;
  }

  /** The workspace that an admin of the installation names, by its own ID or by that of a user. */
  async namedByAdmin(caller: Caller, id: string): Promise<WorkspaceId> {
    requireAdmin(caller);
    return onlyWorkspace(await this.find(id), id);
  }

  /** The time zone of the user whom a request acts for, or else of the workspace. */
  async timeZone({ workspaceId, userId }: Acting): Promise<string> {
    const user = userId === null ? null : await this.#users.get(userId);
    return user?.timeZone ?? (await this.get(workspaceId)).timeZone;
  }
}
