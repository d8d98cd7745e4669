import {
  facetValues,
  foundNumbers,
  matchCounts,
  matches,
  sampleNumbers,
  termsOfQuery,
  tierTerms,
  valuesToCount,
  type FacetValue,
} from "../../../../features/prospecting/facets/search.ts";
import { termKey, termRules } from "../../../../features/prospecting/facets/terms.ts";
import type { StoredProspect } from "../../../../features/prospecting/stored-prospect.ts";
import type { TermQuery } from "../../../../features/prospecting/facets/query.ts";
import type { FacetRequest, MatchCounts, ProspectSearch } from "../../../../features/prospecting/store.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import { inSlices } from "../../../../lib/concurrency/slices.ts";
import type { Connection, Engine } from "../engine.ts";
import { ContainerCache } from "./container-cache.ts";
import { directoryOf, type DirectoryRow } from "./directory-row.ts";
import { fold, rebuildStep } from "./index-fold.ts";
import { IndexView } from "./index-view.ts";
import { loadProspects } from "./rows.ts";

/** A million prospects have about 25 MB of sets. */
const cacheBytes = 128 * 2 ** 20;
/** Directories whose last view is kept. */
const maxViews = 1000;
/** A fold starts with so many changed prospects: it rewrites the sets of a block, and searches read what is not folded. */
const foldFrom = 16_384;

/**
 * Searches directories. An answer is that of one snapshot of the database: whatever was committed before, exactly. The sets
 * that a search reads are kept by version, and what has changed since the last fold is followed. Long computations make
 * room for other work every few milliseconds, so they need no thread.
 */
export class DirectoryIndex {
  readonly #engine: Engine;
  readonly #cache = new ContainerCache(cacheBytes);
  readonly #views = new Map<WorkspaceId, IndexView>();
  /** Folds that run here, by directory. */
  readonly #folding = new Map<number, Promise<void>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  search({ workspaceId, query, offset, limit }: ProspectSearch): Promise<{ total: number; rows: StoredProspect[] }> {
    return this.#read(workspaceId, { total: 0, rows: [] }, async (connection, view) => {
      const postings = await view.postings(connection, [...termsOfQuery(query), ...tierTerms], this.#cache);
      const found = await inSlices(matches(postings, query, view.blockCount));
      const { total, numbers } = foundNumbers(postings, found, offset, limit);
      const rows = await loadProspects(connection, view.directory.owner, numbers);
      return { total, rows: numbers.flatMap((number) => rows.get(number) ?? []) };
    });
  }

  sample(workspaceId: WorkspaceId, query: TermQuery, size: number): Promise<StoredProspect[]> {
    return this.#read(workspaceId, [], async (connection, view) => {
      const postings = await view.postings(connection, termsOfQuery(query), this.#cache);
      const numbers = sampleNumbers(await inSlices(matches(postings, query, view.blockCount)), size);
      return [...(await loadProspects(connection, view.directory.owner, numbers)).values()];
    });
  }

  matchCounts({ workspaceId, query, lists }: MatchCounts): Promise<number[]> {
    const none = lists.map(() => 0);
    return this.#read(workspaceId, none, async (connection, view) => {
      const keys = [...new Set([...termsOfQuery(query), ...lists.flat()])];
      const postings = await view.postings(connection, keys, this.#cache);
      const found = await inSlices(matches(postings, query, view.blockCount));
      return await inSlices(matchCounts(postings, found, lists));
    });
  }

  facet({ workspaceId, facet, text, limit, query }: FacetRequest): Promise<FacetValue[]> {
    return this.#read(workspaceId, [], async (connection, view) => {
      const values = await view.values(connection, facet);
      const isNarrow = query.groups.length > 0 || query.none.length > 0;
      const counted = isNarrow ? valuesToCount({ values: () => values }, facet, text) : [];
      const keys = counted.map(({ value }) => termKey({ facet, value }));
      const all = isNarrow ? [...new Set([...termsOfQuery(query), ...keys])] : [];
      const postings = await view.postings(connection, all, this.#cache);
      const found = isNarrow ? await inSlices(matches(postings, query, view.blockCount)) : null;
      return await inSlices(facetValues(postings, facet, text, limit, found));
    });
  }

  /** Makes the index of a directory anew if its rules have changed. Writers have to wait for it, too. */
  async prepare(owner: number): Promise<void> {
    for (;;) {
      const directory = await directoryOf(this.#engine.orm, owner);
      if (directory === null || isCurrent(directory)) return;
      await rebuildStep(this.#engine, owner);
    }
  }

  /** Called after a write, with the number of prospects that are not folded yet. Folds them in the background. */
  written(owner: number, unfolded: number): void {
    if (unfolded < foldFrom || this.#folding.has(owner)) return;
    // If it fails, the changes stay, and the next write begins anew.
    const folding = fold(this.#engine, owner, false).catch(() => undefined);
    this.#folding.set(
      owner,
      folding.finally(() => this.#folding.delete(owner)),
    );
  }

  /** Folds all changes. */
  async settle(owner: number): Promise<void> {
    await this.#folding.get(owner);
    await fold(this.#engine, owner, true);
  }

  /** Waits for folds. */
  async close(): Promise<void> {
    await Promise.all(this.#folding.values());
  }

  async #read<T>(
    workspaceId: WorkspaceId,
    none: T,
    read: (connection: Connection, view: IndexView) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const answer = await this.#engine.orm.transaction(
        async (connection): Promise<{ value: T; outdated: null } | { outdated: number }> => {
          const view = await IndexView.open(connection, workspaceId, this.#views.get(workspaceId) ?? null);
          if (view === null) return { value: none, outdated: null };
          if (!isCurrent(view.directory)) return { outdated: view.directory.owner };
          this.#keep(workspaceId, view);
          return { value: await read(connection, view), outdated: null };
        },
        { isolationLevel: "repeatable read", accessMode: "read only" },
      );
      if (answer.outdated === null) return answer.value;
      await this.prepare(answer.outdated);
    }
  }

  #keep(workspaceId: WorkspaceId, view: IndexView): void {
    const known = this.#views.get(workspaceId);
    if (known !== undefined && known.directory.lastChange > view.directory.lastChange) return;
    this.#views.delete(workspaceId);
    this.#views.set(workspaceId, view);
    if (this.#views.size > maxViews) this.#views.delete(this.#views.keys().next().value!);
  }
}

/** A newer program may have made the index by newer rules: its terms are found by older ones as far as they agree. */
function isCurrent({ rules, rebuiltTo }: DirectoryRow): boolean {
  return rules > termRules || (rules === termRules && rebuiltTo === null);
}
