import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { termKey, type Term, type TermFacet } from "../../../../features/prospecting/facets/terms.ts";
import type { Postings } from "../../../../features/prospecting/facets/search.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import { containerSize, emptyContainer, type Container } from "../../../../lib/search-index/container.ts";
import { inSlices } from "../../../../lib/concurrency/slices.ts";
import type { Connection } from "../engine.ts";
import type { ContainerCache } from "./container-cache.ts";
import { directoryOfWorkspace, type DirectoryRow } from "./directory-row.ts";
import { blocks, changes, terms } from "./tables.ts";
import { changed, ChangeMerge, type MergedChanges } from "./term-changes.ts";

/** A term as of the last fold. */
type FoldedTerm = { id: number; label: string; count: number };
/** What one fold made, as far as it was read. Shared by the views between it and the next one. */
type Folded = {
  byKey: Map<string, FoldedTerm | null>;
  facets: Map<TermFacet, ReadonlyMap<string, Counted>>;
  /** Of the sets, by block: only a fold changes them. */
  versions: readonly number[] | null;
};
type Counted = { label: string; count: number };
export type ReadTerm = { count: number; read: (block: number) => Container };

/**
 * A directory as of one snapshot of the database: its sets as of the last fold, and what has changed since. Views never
 * change, so that a search that is interrupted goes on with the directory it began with.
 */
export class IndexView {
  readonly directory: DirectoryRow;
  /** What was changed since the last fold. */
  readonly changes: MergedChanges;
  readonly #folded: Folded;
  readonly #facets = new Map<TermFacet, ReadonlyMap<string, Counted>>();

  /** Null if the directory does not exist. `last`: an earlier or later view of the same directory, if there is one. */
  static async open(
    connection: Connection,
    workspaceId: WorkspaceId,
    last: IndexView | null,
  ): Promise<IndexView | null> {
    const directory = await directoryOfWorkspace(connection, workspaceId);
    if (directory === null) return null;
    const { owner, foldedTo, lastChange, rules } = directory;
    const isSameFold = last?.directory.foldedTo === foldedTo && last.directory.rules === rules;
    if (isSameFold && last.directory.lastChange === lastChange) return last;
    // Another request may already have seen more than this snapshot contains.
    const before = isSameFold && last.directory.lastChange < lastChange ? last : null;
    const folded = isSameFold ? last.#folded : { byKey: new Map(), facets: new Map(), versions: null };
    const merge = new ChangeMerge(before?.changes);
    const rows = await connection
      .select({ terms: changes.terms })
      .from(changes)
      .where(and(eq(changes.owner, owner), gt(changes.n, before?.directory.lastChange ?? foldedTo)))
      .orderBy(asc(changes.n));
    for (const row of rows) await inSlices(merge.take(row.terms));
    return new IndexView(directory, merge.finish(), folded);
  }

  private constructor(directory: DirectoryRow, merged: MergedChanges, folded: Folded) {
    this.directory = directory;
    this.changes = merged;
    this.#folded = folded;
  }

  /** Number of blocks with prospects. */
  get blockCount(): number {
    return Math.ceil(this.directory.nextNumber / containerSize);
  }

  /** What a search over these terms reads. The connection must see the snapshot of the view. */
  async postings(connection: Connection, keys: readonly string[], cache: ContainerCache): Promise<Postings<ReadTerm>> {
    await this.#loadTerms(connection, keys);
    const { byKey } = this.#folded;
    const ids = keys.flatMap((key) => byKey.get(key)?.id ?? []);
    const { owner } = this.directory;
    const containers = await cache.load(connection, owner, ids, await this.#versions(connection));
    const known = new Map(keys.map((key) => [key, this.#readTerm(key, containers)]));
    return {
      known: (key) => known.get(key) ?? null,
      reader: ({ read }) => read,
      values: (facet) => this.#facets.get(facet as TermFacet) ?? new Map(),
    };
  }

  /** All values of a facet with their counts. Afterwards, they are the `values` of postings, too. */
  async values(connection: Connection, facet: TermFacet): Promise<ReadonlyMap<string, Counted>> {
    const known = this.#facets.get(facet);
    if (known !== undefined) return known;
    const values = new Map(await this.#foldedValues(connection, facet));
    for (const { term, count } of this.changes.values())
      if (term.facet === facet) {
        const before = values.get(term.value);
        values.set(term.value, { label: before?.label ?? term.label, count: (before?.count ?? 0) + count });
      }
    this.#facets.set(facet, values);
    return values;
  }

  #readTerm(key: string, containers: ReadonlyMap<number, readonly Container[]>): ReadTerm | null {
    const folded = this.#folded.byKey.get(key) ?? null;
    const change = this.changes.get(key);
    if (folded === null && change === undefined) return null;
    const stored = folded === null ? [] : (containers.get(folded.id) ?? []);
    const read: Container[] = [];
    return {
      count: (folded?.count ?? 0) + (change?.count ?? 0),
      read: (block) => (read[block] ??= changed(stored[block] ?? emptyContainer, change?.blocks.get(block))),
    };
  }

  async #versions(connection: Connection): Promise<readonly number[]> {
    if (this.#folded.versions !== null) return this.#folded.versions;
    const rows = await connection.select().from(blocks).where(eq(blocks.owner, this.directory.owner));
    const versions = Array.from({ length: this.blockCount }, () => 0);
    for (const { block, version } of rows) versions[block] = version;
    this.#folded.versions = versions;
    return versions;
  }

  async #loadTerms(connection: Connection, keys: readonly string[]): Promise<void> {
    const { byKey } = this.#folded;
    const missing = keys.filter((key) => !byKey.has(key));
    for (const [key, term] of await foldedTerms(connection, this.directory.owner, missing)) byKey.set(key, term);
    for (const key of missing) if (!byKey.has(key)) byKey.set(key, null);
  }

  async #foldedValues(connection: Connection, facet: TermFacet): Promise<ReadonlyMap<string, Counted>> {
    const known = this.#folded.facets.get(facet);
    if (known !== undefined) return known;
    // Nearly in the order in which they are shown, which makes sorting them cheap.
    const rows = await connection
      .select({ id: terms.id, value: terms.value, label: terms.label, count: terms.prospects })
      .from(terms)
      .where(and(eq(terms.owner, this.directory.owner), eq(terms.facet, facet)))
      .orderBy(desc(terms.prospects), asc(terms.value));
    const values = new Map(rows.map(({ value, label, count }) => [value, { label, count }]));
    for (const { id, value, label, count } of rows)
      this.#folded.byKey.set(termKey({ facet, value }), { id, label, count });
    this.#folded.facets.set(facet, values);
    return values;
  }
}

/** Stored terms by their keys. */
export async function foldedTerms(
  connection: Connection,
  owner: number,
  keys: readonly string[],
): Promise<Map<string, FoldedTerm>> {
  if (keys.length === 0) return new Map();
  const asked = keys.map((key) => {
    const space = key.indexOf(" ");
    return { facet: key.slice(0, space), value: key.slice(space + 1).toWellFormed() };
  });
  const rows = await connection
    .select({ facet: terms.facet, value: terms.value, id: terms.id, label: terms.label, count: terms.prospects })
    .from(terms)
    .where(
      and(
        eq(terms.owner, owner),
        sql`(${terms.facet}, ${terms.value}) IN (
          SELECT facet, value FROM json_to_recordset(${JSON.stringify(asked)}::json) AS asked (facet text, value text))`,
      ),
    );
  return new Map(
    rows.map(({ facet, value, id, label, count }) => [
      termKey({ facet: facet as Term["facet"], value }),
      { id, label, count },
    ]),
  );
}
