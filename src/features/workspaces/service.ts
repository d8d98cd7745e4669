import { auditEntry } from "../../platform/auth/audit/entry.ts";
import { onlyWorkspace, type Acting, type Named } from "../../platform/auth/access.ts";
import { denied, requireAdmin, requireApprover, type Caller } from "../../platform/auth/caller.ts";
import { managesWorkspace } from "../../platform/auth/member-role.ts";
import type { Member, Workspace } from "../../platform/auth/workspace-model.ts";
import { isoTime, type Clock, type Ids } from "../../platform/base/clock.ts";
import { invalid, notFound, type FieldError, requireFields } from "../../platform/base/errors.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";
import { singleLine } from "../../platform/base/text.ts";
import { comparePlaces, type TimePlace } from "../../platform/base/time-place.ts";
import type { WorkspaceInput, WorkspaceUpdate, WorkspaceView } from "./model.ts";
import { defaultTimeZone, newWorkspace, timeZoneErrors, type WorkspaceDefaults } from "./new-workspace.ts";
import type { WorkspaceStore } from "./store.ts";
import type { UserStore } from "./users/store.ts";

export type WorkspaceParts = {
  store: WorkspaceStore;
  users: UserStore;
  clock: Clock;
  ids: Ids;
  defaults: WorkspaceDefaults;
};

/** Manages workspaces, and finds what IDs in requests stand for. */
export class WorkspaceService {
  readonly #parts: WorkspaceParts;

  constructor(parts: WorkspaceParts) {
    this.#parts = parts;
  }

  /**
   * Creates a workspace with a network account and the default credit grant. For admins of the installation, who own it unless
   * they name another user, and global keys. Throws NOT_FOUND for an unknown owner.
   */
  async create(caller: Caller, { name, timeZone: zone, ownerId: wanted }: WorkspaceInput): Promise<WorkspaceView> {
    const { store, users, clock, ids, defaults } = this.#parts;
    requireAdmin(caller);
    requireApprover(caller, "create workspaces");
    const ownerId = wanted ?? caller.userId;
    if (ownerId === null)
      throw invalid([{ path: "ownerId", message: "Owner of the workspace. Required with a global key." }]);
    const timeZone = zone ?? defaultTimeZone(defaults);
    const errors = [...nameErrors(name), ...timeZoneErrors(timeZone)];
    if (errors.length > 0) throw invalid(errors);
    if ((await users.get(ownerId)) === null) throw notFound("user", ownerId);
    const now = clock.now();
    const id: WorkspaceId = ids.next(now);
    const created = newWorkspace({ id, ownerId, name: singleLine(name), timeZone }, defaults, now, () => ids.next(now));
    const target = { type: "workspace", id };
    const audit = auditEntry(caller, now, {
      action: "workspace.created",
      workspaceId: id,
      target,
      details: { ownerId },
    });
    await store.insert({ ...created, audit });
    return workspaceView(created.workspace, caller, ownerId === caller.userId ? created.member : null);
  }

  /** The workspaces that the user of the key is active in or, for a global key, all, oldest first. */
  async list(
    caller: Caller,
    limit: number,
    after: TimePlace | null,
  ): Promise<{ workspaces: { view: WorkspaceView; place: TimePlace }[]; total: number }> {
    const { store } = this.#parts;
    const shown = (workspace: Workspace, member: Member | null) => ({
      view: workspaceView(workspace, caller, member),
      place: workspace,
    });
    if (caller.userId === null) {
      const [found, total] = await Promise.all([store.list(limit, after), store.count()]);
      return { workspaces: found.map((workspace) => shown(workspace, null)), total };
    }
    const active = (await store.ofUser(caller.userId)).filter(({ member }) => member.isActive);
    const sorted = active.toSorted((a, b) => comparePlaces(a.workspace, b.workspace));
    const rest = sorted.filter(({ workspace }) => after === null || comparePlaces(workspace, after) > 0);
    const page = rest.slice(0, limit).map(({ workspace, member }) => shown(workspace, member));
    return { workspaces: page, total: sorted.length };
  }

  /** Throws NOT_FOUND for a workspace that the caller's user is not active in. */
  async view(caller: Caller, id: WorkspaceId): Promise<WorkspaceView> {
    return workspaceView(...(await this.#visible(caller, id)));
  }

  /** For owners and admins of the workspace, while they work in it, and global keys. */
  async update(caller: Caller, id: WorkspaceId, { name, timeZone }: WorkspaceUpdate): Promise<WorkspaceView> {
    const { store, clock } = this.#parts;
    requireFields({ name, timeZone });
    const [, , member] = await this.#visible(caller, id);
    requireApprover(caller, "change a workspace");
    const isOwn = caller.workspaceId === null || caller.workspaceId === id;
    if (!isOwn) throw denied(caller, "*", "This API key belongs to another workspace. Use one of this workspace.");
    if (caller.workspaceId !== null && !managesWorkspace(caller.memberRole))
      throw denied(caller, "*", "Only owners and admins of the workspace can change it.");
    const errors = [
      ...(name === undefined ? [] : nameErrors(name)),
      ...(timeZone === undefined ? [] : timeZoneErrors(timeZone)),
    ];
    if (errors.length > 0) throw invalid(errors);
    const now = clock.now();
    const change = {
      ...(name !== undefined && { name: singleLine(name) }),
      ...(timeZone !== undefined && { timeZone }),
    };
    const target = { type: "workspace", id };
    const details = { changed: Object.keys(change) };
    const audit = auditEntry(caller, now, { action: "workspace.updated", workspaceId: id, target, details });
    const workspace = await store.update(id, { ...change, updatedAt: now }, audit);
    if (workspace === null) throw notFound("workspace", id);
    return workspaceView(workspace, caller, member);
  }

  async #visible(caller: Caller, id: WorkspaceId): Promise<[Workspace, Caller, Member | null]> {
    const { store } = this.#parts;
    const [workspace, found] = await Promise.all([
      store.get(id),
      caller.userId === null ? null : store.member(id, caller.userId),
    ]);
    const isVisible = caller.userId === null || found?.member.isActive;
    if (workspace === null || !isVisible) throw notFound("workspace", id);
    return [workspace, caller, found?.member ?? null];
  }

  async get(id: WorkspaceId): Promise<Workspace> {
    const workspace = await this.#parts.store.get(id);
    if (workspace === null) throw notFound("workspace", id);
    return workspace;
  }

  /** What an ID in a request stands for. A user's own workspace has the ID of the user, and then it is meant. */
  async find(id: string): Promise<Named> {
    const { store, users } = this.#parts;
    const [own, user, memberships] = await Promise.all([store.get(id), users.get(id), store.ofUser(id)]);
    const active = memberships.filter(({ member }) => member.isActive).map(({ workspace }) => workspace.id);
    return { workspaceIds: own === null ? active : [own.id], userId: user?.id ?? null };
  }

  /** Whether an ID is that of a member, active or not. */
  async isMember(workspaceId: WorkspaceId, userId: UserId): Promise<boolean> {
    return (await this.#parts.store.member(workspaceId, userId)) !== null;
  }

  /** The workspace that an admin of the installation names, by its own ID or by that of a user. */
  async namedByAdmin(caller: Caller, id: string): Promise<WorkspaceId> {
    requireAdmin(caller);
    return onlyWorkspace(await this.find(id), id);
  }

  /** The time zone of the user whom a request acts for, or else of the workspace. */
  async timeZone({ workspaceId, userId }: Acting): Promise<string> {
    const user = userId === null ? null : await this.#parts.users.get(userId);
    return user?.timeZone ?? (await this.get(workspaceId)).timeZone;
  }
}

function workspaceView(workspace: Workspace, caller: Caller, member: Member | null): WorkspaceView {
  const { id, name, timeZone, createdAt, updatedAt } = workspace;
  return {
    id,
    name,
    timeZone,
    role: member?.role ?? null,
    isCurrent: id === caller.workspaceId,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

function nameErrors(name: string): FieldError[] {
  return singleLine(name) === "" ? [{ path: "name", message: "Must not be empty." }] : [];
}
