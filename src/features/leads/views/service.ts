import type { Acting } from "../../../platform/auth/access.ts";
import { denied, type Caller } from "../../../platform/auth/caller.ts";
import { managesWorkspace } from "../../../platform/auth/member-role.ts";
import { isoTime, type Clock, type Ids } from "../../../platform/base/clock.ts";
import { ApiError, invalid, notFound } from "../../../platform/base/errors.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { singleLine } from "../../../platform/base/text.ts";
import type { TimePlace } from "../../../platform/base/time-place.ts";
import { filterOf } from "../filter-query.ts";
import {
  maxLeadViews,
  type LeadViewInput,
  type LeadViewUpdate,
  type SavedLeadView,
  type SavedLeadViewView,
} from "./model.ts";
import type { LeadViewStore } from "./store.ts";

/** Who changes views. */
export type LeadViewUser = Acting & { caller: Caller };

/** Manages the saved views of the list of leads, which a workspace shares. */
export class LeadViewService {
  readonly #views: LeadViewStore;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(views: LeadViewStore, clock: Clock, ids: Ids) {
    this.#views = views;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** CONFLICT if the workspace has reached the limit; VALIDATION_ERROR for filters that the list would refuse. */
  async create({ workspaceId, userId }: LeadViewUser, input: LeadViewInput): Promise<SavedLeadView> {
    filterOf(input.filters, userId, "filters.");
    const now = this.#clock.now();
    const view: SavedLeadView = {
      ...{ id: this.#ids.next(now), workspaceId, ownerId: userId, name: nameOf(input.name), filters: input.filters },
      ...{ columns: input.columns ?? [], sort: input.sort ?? "-createdAt", createdAt: now, updatedAt: now },
    };
    if (await this.#views.insert(view, maxLeadViews)) return view;
    throw new ApiError("CONFLICT", {
      message: `View limit reached: the workspace has ${maxLeadViews} of ${maxLeadViews}. Delete one first.`,
    });
  }

  /** Oldest first. */
  async page(workspaceId: WorkspaceId, limit: number, after: TimePlace | null) {
    const [views, total] = await Promise.all([
      this.#views.list(workspaceId, limit, after),
      this.#views.count(workspaceId),
    ]);
    return { views, total };
  }

  async update(user: LeadViewUser, id: string, input: LeadViewUpdate): Promise<SavedLeadView> {
    await this.#requireOwn(user, id);
    const { name, filters, columns, sort } = input;
    if (filters !== undefined) filterOf(filters, user.userId, "filters.");
    const change = {
      ...(name !== undefined && { name: nameOf(name) }),
      ...(filters !== undefined && { filters }),
      ...(columns !== undefined && { columns }),
      ...(sort !== undefined && { sort }),
    };
    const changed = await this.#views.update(user.workspaceId, id, { ...change, updatedAt: this.#clock.now() });
    if (changed === null) throw notFound("view", id);
    return changed;
  }

  async remove(user: LeadViewUser, id: string): Promise<void> {
    await this.#requireOwn(user, id);
    if (!(await this.#views.remove(user.workspaceId, id))) throw notFound("view", id);
  }

  /** Throws NOT_FOUND, or PERMISSION_DENIED for a view of another member, unless the user manages the workspace. */
  async #requireOwn({ caller, workspaceId, userId }: LeadViewUser, id: string): Promise<void> {
    const view = await this.#views.get(workspaceId, id);
    if (view === null) throw notFound("view", id);
    const { memberRole } = caller;
    if (memberRole === null || managesWorkspace(memberRole) || (userId !== null && view.ownerId === userId)) return;
    throw denied(caller, "*", `The view "${view.name}" belongs to another member. Save one of your own.`);
  }
}

function nameOf(sent: string): string {
  const name = singleLine(sent);
  if (name === "") throw invalid([{ path: "name", message: "Must not be empty." }]);
  return name;
}

export function savedLeadViewView({
  workspaceId: _workspaceId,
  createdAt,
  updatedAt,
  ...view
}: SavedLeadView): SavedLeadViewView {
  return { ...view, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
