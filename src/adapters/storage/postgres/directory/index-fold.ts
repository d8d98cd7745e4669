import { and, asc, eq, gt, gte, lte, sql } from "drizzle-orm";
import { renamedKey, unitedCompany } from "../../../../features/prospecting/companies.ts";
import { termRules } from "../../../../features/prospecting/facets/terms.ts";
import { besideNameOf, keysOfRecord, prospectIdentity } from "../../../../features/prospecting/keys.ts";
import type { CompanyContent, ProspectContent } from "../../../../features/prospecting/model.ts";
import { indexedKey } from "../../../../features/prospecting/name-keys.ts";
import { companyKey } from "../../../../platform/identity/names.ts";
import { inSlices } from "../../../../lib/concurrency/slices.ts";
import {
  bytesOf,
  containerOf,
  countOf,
  emptyContainer,
  type Container,
} from "../../../../lib/search-index/container.ts";
import type { Connection, Engine } from "../engine.ts";
import { lockNumber, takeLocks } from "../locks.ts";
import { directoryOf, lockDirectory } from "./directory-row.ts";
import { foldedTerms } from "./index-view.ts";
import { blocks, changes, companies, directories, postings, prospectKeys, prospects, terms } from "./tables.ts";
import { changed, ChangeMerge, type MergedChanges, type TermChange } from "./term-changes.ts";
import { TermReader } from "./term-reader.ts";

// Folding moves changes into the sets that they change, many in one step, because each set is written as a whole. One
// process at a time folds a directory; writers go on meanwhile, and readers see all of it or nothing.

/** Transactions of one fold. */
const changesAtOnce = 512;
/** Sets and terms in one statement. */
const writeBytes = 512 * 1024;
const termsAtOnce = 2000;
/** Prospects in one step of making an index anew. */
const rebuiltAtOnce = 16_384;

/** Moves changes into the sets. `waits`: until another process has finished; otherwise nothing happens then. */
export async function fold(engine: Engine, owner: number, waits: boolean): Promise<void> {
  while (await engine.transact((connection) => foldSome(connection, owner, waits)));
}

/** True if there may be more. */
async function foldSome(connection: Connection, owner: number, waits: boolean): Promise<boolean> {
  if (!(await lockFolds(connection, owner, waits))) return false;
  const directory = await directoryOf(connection, owner);
  // Without the lock of the directory: what is committed from now on is for the next fold.
  if (directory === null || directory.rebuiltTo !== null || directory.lastChange === directory.foldedTo) return false;
  const rows = await connection
    .select({ n: changes.n, terms: changes.terms })
    .from(changes)
    .where(and(eq(changes.owner, owner), gt(changes.n, directory.foldedTo), lte(changes.n, directory.lastChange)))
    .orderBy(asc(changes.n))
    .limit(changesAtOnce);
  const merge = new ChangeMerge();
  for (const row of rows) await inSlices(merge.take(row.terms));
  await mergeInto(connection, owner, merge.finish());
  const foldedTo = rows.at(-1)?.n ?? directory.lastChange;
  await connection.delete(changes).where(and(eq(changes.owner, owner), lte(changes.n, foldedTo)));
  const isAll = foldedTo === directory.lastChange;
  // Last, because writers wait for this row. What they have added since is counted on top.
  const unfolded = isAll ? sql`greatest(${directories.unfolded} - ${directory.unfolded}, 0)` : directories.unfolded;
  await connection
    .update(directories)
    .set({ foldedTo, unfolded: sql`${unfolded}` })
    .where(eq(directories.owner, owner));
  return !isAll;
}

/** Makes a part of an index anew, by the current rules. */
export async function rebuildStep(engine: Engine, owner: number): Promise<void> {
  await engine.transact(async (connection) => {
    await lockFolds(connection, owner, true);
    const directory = await directoryOf(connection, owner);
    if (directory === null || directory.rules > termRules) return;
    if (directory.rules < termRules) return await beginRebuild(connection, owner);
    if (directory.rebuiltTo === null) return;
    const rows = await connection
      .select({ number: prospects.number, content: prospects.content })
      .from(prospects)
      .where(and(eq(prospects.owner, owner), gte(prospects.number, directory.rebuiltTo)))
      .orderBy(asc(prospects.number))
      .limit(rebuiltAtOnce);
    const merge = new ChangeMerge();
    const keys: { key: number; number: number }[] = [];
    await inSlices(derive(rows, merge, keys));
    await mergeInto(connection, owner, merge.finish());
    for (let from = 0; from < keys.length; from += 20_000)
      await insertKeys(connection, owner, keys.slice(from, from + 20_000));
    const rebuiltTo = rows.length < rebuiltAtOnce ? null : rows.at(-1)!.number + 1;
    await connection.update(directories).set({ rebuiltTo }).where(eq(directories.owner, owner));
  });
}

/** Empties the index. Writers wait until it is complete, and what they had changed is in the prospects. */
async function beginRebuild(connection: Connection, owner: number): Promise<void> {
  const { lastChange } = await lockDirectory(connection, owner);
  for (const table of [changes, postings, blocks, terms]) await connection.delete(table).where(eq(table.owner, owner));
  await renameCompanies(connection, owner);
  await connection
    .update(directories)
    .set({ rules: termRules, rebuiltTo: 0, foldedTo: lastChange, unfolded: 0 })
    .where(eq(directories.owner, owner));
}

/** Stores companies under their names as they are compared now. */
async function renameCompanies(connection: Connection, owner: number): Promise<void> {
  const isOne = (key: string) => and(eq(companies.owner, owner), eq(companies.key, key));
  const all = await connection.select().from(companies).where(eq(companies.owner, owner)).orderBy(asc(companies.key));
  const byKey = new Map(all.map((row) => [row.key, row]));
  for (const { key, nameKey: before } of all) {
    const row = byKey.get(key)!;
    const { company } = JSON.parse(row.content) as CompanyContent;
    const nameKey = company === undefined ? null : companyKey(company);
    if (nameKey === null || nameKey === before) continue;
    const newKey = renamedKey(key, nameKey);
    const other = newKey === key ? undefined : byKey.get(newKey);
    byKey.delete(key);
    if (other === undefined) {
      byKey.set(newKey, { ...row, key: newKey, nameKey });
      await connection.update(companies).set({ key: newKey, nameKey }).where(isOne(key));
      continue;
    }
    const dated = ({ content, updatedAt }: typeof row) => ({
      content: JSON.parse(content) as CompanyContent,
      updatedAt,
    });
    const united = unitedCompany(dated(row), dated(other));
    const content = JSON.stringify(united.content);
    byKey.set(newKey, { ...other, content, updatedAt: united.updatedAt });
    await connection.update(companies).set({ content, updatedAt: united.updatedAt }).where(isOne(newKey));
    await connection.delete(companies).where(isOne(key));
  }
}

function* derive(
  rows: readonly { number: number; content: string }[],
  merge: ChangeMerge,
  keys: { key: number; number: number }[],
): Generator<void, void, void> {
  for (const { number, content: json } of rows) {
    const content = JSON.parse(json) as ProspectContent;
    merge.add(number, TermReader.shared.termsOf(content));
    const identity = prospectIdentity(content);
    const beside = besideNameOf(identity);
    for (const [place, key] of keysOfRecord(content, identity).entries())
      keys.push({ key: indexedKey(key, place, beside), number });
    yield;
  }
}

/** Changes the sets. A set that has none of the changes, some, or all of them becomes the same. */
async function mergeInto(connection: Connection, owner: number, merged: MergedChanges): Promise<void> {
  const touched = new Set<number>();
  const all = [...merged];
  for (let from = 0; from < all.length; from += termsAtOnce)
    await mergeTerms(connection, owner, all.slice(from, from + termsAtOnce), touched);
  if (touched.size === 0) return;
  await connection
    .insert(blocks)
    .values([...touched].map((block) => ({ owner, block, version: 1 })))
    .onConflictDoUpdate({ target: [blocks.owner, blocks.block], set: { version: sql`${blocks.version} + 1` } });
}

async function mergeTerms(
  connection: Connection,
  owner: number,
  some: readonly [string, TermChange][],
  touched: Set<number>,
): Promise<void> {
  const known = await foldedTerms(
    connection,
    owner,
    some.map(([key]) => key),
  );
  const stored = await storedSets(
    connection,
    owner,
    some.flatMap(([key, { blocks: of }]) => {
      const id = known.get(key)?.id;
      return id === undefined ? [] : [...of.keys()].map((block) => ({ term: id, block }));
    }),
  );
  const counts = new Map<string, number>();
  const sets: { key: string; block: number; after: Container }[] = [];
  await inSlices(
    (function* () {
      for (const [key, change] of some) {
        const id = known.get(key)?.id;
        let count = 0;
        for (const [block, ofBlock] of change.blocks) {
          const before = stored.get(placeOf(id, block)) ?? emptyContainer;
          const after = changed(before, ofBlock);
          count += countOf(after) - countOf(before);
          sets.push({ key, block, after });
          touched.add(block);
          yield;
        }
        counts.set(key, count);
      }
    })(),
  );
  const ids = await countTerms(connection, owner, some, counts);
  await writeSets(
    connection,
    owner,
    sets.map(({ key, block, after }) => ({ term: ids.get(key)!, block, after })),
  );
}

async function storedSets(
  connection: Connection,
  owner: number,
  places: readonly { term: number; block: number }[],
): Promise<Map<string, Container>> {
  if (places.length === 0) return new Map();
  const rows = await connection
    .select({ term: postings.term, block: postings.block, bits: postings.bits })
    .from(postings)
    .where(
      and(
        eq(postings.owner, owner),
        sql`(${postings.term}, ${postings.block}) IN (
          SELECT term, block FROM json_to_recordset(${JSON.stringify(places)}::json) AS asked (term bigint, block integer))`,
      ),
    );
  return new Map(rows.map(({ term, block, bits }) => [placeOf(term, block), containerOf(bits)]));
}

/** Adds to the counts of terms, which may be new. Returns their numbers. */
async function countTerms(
  connection: Connection,
  owner: number,
  some: readonly [string, TermChange][],
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const rows = some.map(([key, { term }]) => ({
    owner,
    facet: term.facet,
    value: term.value.toWellFormed(),
    label: term.label.toWellFormed(),
    prospects: counts.get(key)!,
  }));
  const stored = await connection
    .insert(terms)
    .values(rows)
    .onConflictDoUpdate({
      target: [terms.owner, terms.facet, terms.value],
      set: { prospects: sql`${terms.prospects} + excluded.prospects` },
    })
    .returning({ id: terms.id, facet: terms.facet, value: terms.value });
  return new Map(stored.map(({ id, facet, value }) => [`${facet} ${value}`, id]));
}

async function writeSets(
  connection: Connection,
  owner: number,
  sets: readonly { term: number; block: number; after: Container }[],
): Promise<void> {
  let some: { term: number; block: number; bits: string }[] = [];
  let bytes = 0;
  const write = async () => {
    await connection.execute(sql`
      INSERT INTO ${postings} (owner, term, block, bits)
      SELECT ${owner}::bigint, term, block, decode(bits, 'base64')
      FROM json_to_recordset(${JSON.stringify(some)}::json) AS told (term bigint, block integer, bits text)
      ON CONFLICT (owner, term, block) DO UPDATE SET bits = excluded.bits`);
    [some, bytes] = [[], 0];
  };
  for (const { term, block, after } of sets) {
    some.push({ term, block, bits: bytesOf(after).toBase64() });
    bytes += after.byteLength;
    if (bytes >= writeBytes) await write();
  }
  if (some.length > 0) await write();
}

export async function insertKeys(
  connection: Connection,
  owner: number,
  keys: readonly { key: number; number: number }[],
): Promise<void> {
  if (keys.length === 0) return;
  await connection.execute(sql`
    INSERT INTO ${prospectKeys} (owner, key, number)
    SELECT ${owner}::bigint, key::bigint, number::bigint FROM ROWS FROM (
      json_array_elements_text(${JSON.stringify(keys.map(({ key }) => key))}::json),
      json_array_elements_text(${JSON.stringify(keys.map(({ number }) => number))}::json)
    ) AS added (key, number) ORDER BY 2, 3 ON CONFLICT DO NOTHING`);
}

/** One process at a time changes the sets of a directory. */
async function lockFolds(connection: Connection, owner: number, waits: boolean): Promise<boolean> {
  const key = `prospect sets ${owner}`;
  if (waits) {
    await takeLocks(connection, [{ key, isShared: false }]);
    return true;
  }
  const [row] = await connection.execute<{ locked: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(${`${lockNumber(key)}`}::bigint) AS locked`,
  );
  return row!.locked;
}

function placeOf(term: number | undefined, block: number): string {
  return `${term} ${block}`;
}
