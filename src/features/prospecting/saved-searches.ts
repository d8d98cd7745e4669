import { type Clock, type Ids, isoTime } from "../../platform/base/clock.ts";
import { ApiError, notFound } from "../../platform/base/errors.ts";
import type { SavedSearch, SavedSearchInput, SavedSearchUpdate, SavedSearchView } from "./model.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import { checkRevenue } from "./service.ts";
import type { SavedSearchStore } from "./store.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** More than a user can keep track of, and still fast to list. */
const maxSavedSearches = 500;

/** Manages named sets of filters that can be run again. */
export class SavedSearchService {
  readonly #searches: SavedSearchStore;
  readonly #clock: Clock;
  readonly #ids: Ids;

  constructor(searches: SavedSearchStore, clock: Clock, ids: Ids) {
    this.#searches = searches;
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Throws CONFLICT if the user has reached the limit. */
  async create(
    workspaceId: WorkspaceId,
    { name, source = "directory", filters }: SavedSearchInput,
  ): Promise<SavedSearch> {
    checkRevenue(filters);
    if ((await this.#searches.count(workspaceId)) >= maxSavedSearches)
      throw new ApiError("CONFLICT", {
        message: `Saved search limit reached: you have ${maxSavedSearches} of ${maxSavedSearches}. Delete one first.`,
      });
    const now = this.#clock.now();
    const search = { id: this.#ids.next(now), workspaceId, name, source, filters, createdAt: now, updatedAt: now };
    await this.#searches.insert(search);
    return search;
  }

  /** Newest first. */
  async page(
    workspaceId: WorkspaceId,
    limit: number,
    offset: number,
    after: TimePlace | null,
  ): Promise<{ searches: SavedSearch[]; total: number }> {
    const [searches, total] = await Promise.all([
      this.#searches.list(workspaceId, limit, offset, after),
      this.#searches.count(workspaceId),
    ]);
    return { searches, total };
  }

  async get(workspaceId: WorkspaceId, id: string): Promise<SavedSearch> {
    return requireFound(await this.#searches.get(workspaceId, id), id);
  }

  async update(
    workspaceId: WorkspaceId,
    id: string,
    { name, source, filters }: SavedSearchUpdate,
  ): Promise<SavedSearch> {
    if (filters) checkRevenue(filters);
    const change = { ...(name !== undefined && { name }), ...(source && { source }), ...(filters && { filters }) };
    return requireFound(await this.#searches.update(workspaceId, id, { ...change, updatedAt: this.#clock.now() }), id);
  }

  async remove(workspaceId: WorkspaceId, id: string): Promise<void> {
    if (!(await this.#searches.remove(workspaceId, id))) throw notFound("saved search", id);
  }
}

function requireFound(search: SavedSearch | null, id: string): SavedSearch {
  if (search === null) throw notFound("saved search", id);
  return search;
}

export function savedSearchView({ id, name, source, filters, createdAt, updatedAt }: SavedSearch): SavedSearchView {
  return { id, name, source, filters, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
