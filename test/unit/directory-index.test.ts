import type { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prospectContent } from "../../src/features/prospecting/content.ts";
import type { CompanyContent } from "../../src/features/prospecting/model.ts";
import { folded } from "../../src/platform/identity/names.ts";
import { finished } from "../../src/lib/concurrency/slices.ts";
import { termQuery } from "../../src/features/prospecting/facets/query.ts";
import { termKey, termsOf } from "../../src/features/prospecting/facets/terms.ts";
import { besideNameOf, emailKey, prospectKeys } from "../../src/features/prospecting/keys.ts";
import { mergedProspect } from "../../src/features/prospecting/merge.ts";
import { DirectoryIndex } from "../../src/adapters/storage/sqlite/directory/directory-index.ts";
import type { Write } from "../../src/adapters/storage/sqlite/directory/index-messages.ts";
import { createIndexWriter } from "../../src/adapters/storage/sqlite/directory/index-writer.ts";
import { indexedKey } from "../../src/features/prospecting/name-keys.ts";
import { PostingsCache } from "../../src/adapters/storage/sqlite/directory/postings.ts";
import { createProspectCompanies } from "../../src/adapters/storage/sqlite/directory/prospect-companies.ts";
import { createProspectRows } from "../../src/adapters/storage/sqlite/directory/prospect-rows.ts";
import { facetValues, foundNumbers, matches } from "../../src/features/prospecting/facets/search.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { openDatabase, openForReading } from "../../src/adapters/storage/sqlite/open.ts";
import { prospect as draftOf } from "../bench/prospect-people.ts";

let folder: string;
let database: Database;
let reading: Database;
const owner = 1;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-index-"));
  database = openDatabase(join(folder, "x.db"));
  migrate(database, migrations, 0);
  database.run("INSERT INTO workspaces VALUES (1, 'u', 'Sales', 'UTC', 0, 0)");
  reading = openForReading(join(folder, "x.db"));
});
afterEach(() => {
  reading.close();
  database.close();
  rmSync(folder, { recursive: true });
});

function content(n: number) {
  const checked = prospectContent(draftOf(1, n));
  if ("errors" in checked) throw new Error("not valid");
  return checked;
}

/** Stores, changes and removes prospects as the store does. */
function change(from: number, to: number): void {
  const rows = createProspectRows(database);
  database.transaction(() =>
    rows.unit(owner, () => {
      for (let n = from; n < to; n++) {
        const { content: made, identity } = content(n);
        rows.insert(JSON.stringify(made), prospectKeys(identity), besideNameOf(identity), 0);
      }
      for (let n = from; n < to; n += 5) {
        const stored = rows.get(owner, n - 1);
        if (stored === null) continue;
        const { networkUrl = "" } = stored.content;
        const merged = mergedProspect(stored.content, { ...content(n + 10_000).content, networkUrl });
        rows.update(stored, merged, JSON.stringify(merged), 1);
      }
      for (let n = from + 3; n < to; n += 9) {
        const stored = rows.get(owner, n);
        if (stored !== null) rows.remove(stored);
      }
    }),
  )();
}

const works = (): Write => {
  const write = createIndexWriter(database);
  return async (work) => database.transaction(() => write(owner, work))();
};

/** The index as a new process has it: what was in the memory of another is gone. */
function newIndex(write: Write = works()): DirectoryIndex {
  const place = (table: string) =>
    (database.query(`SELECT max(place) AS place FROM ${table}`).get() as { place: number | null }).place ?? 0;
  let [term, run] = [Math.floor(place("prospect_postings") / 65_536), Math.floor(place("prospect_key_pages") / 65_536)];
  return new DirectoryIndex(reading, owner, write, {
    cache: new PostingsCache(reading, 1e6),
    nextTerm: () => ++term,
    nextRun: () => ++run,
    pause: async () => {},
    collect: () => {},
  });
}

/** That the index finds and counts exactly what the prospects say. */
async function expectExact(index: DirectoryIndex): Promise<void> {
  await index.refresh();
  const rows = database.query<{ seq: number; content: string }, []>("SELECT seq, content FROM prospects").all();
  const numbers = new Map<string, number[]>();
  for (const { seq, content: json } of rows)
    for (const key of new Set(termsOf(JSON.parse(json)).map(termKey)))
      numbers.set(key, [...(numbers.get(key) ?? []), seq - 2 ** 32]);
  for (const [key, expected] of numbers) {
    const found = finished(matches(index.postings, { groups: [[[key]]], none: [] }, index.segments));
    const { total, numbers: some } = foundNumbers(index.postings, found, 0, 100_000);
    const ours = [key, total, index.postings.known(key)?.count, ...some.toSorted((a, b) => a - b)].join();
    if (ours !== [key, expected.length, expected.length, ...expected].join()) throw new Error(`${ours} is not right`);
  }
  const listed = finished(facetValues(index.postings, "industry", "", 10_000, null)).map(
    ({ value }) => `industry ${value}`,
  );
  expect(listed.toSorted()).toEqual([...numbers.keys()].filter((key) => key.startsWith("industry ")).toSorted());
}

test("a flush that breaks off anywhere leaves an index that the next process makes whole", async () => {
  for (let failAt = 1, isOver = false; !isOver; failAt++) {
    change(failAt * 20, failAt * 20 + 20);
    const write = works();
    let count = 0;
    const breaking: Write = async (work) => {
      if (++count >= failAt) throw new Error("The disk is gone");
      return await write(work);
    };
    const index = newIndex(breaking);
    await index.refresh();
    await index.flush();
    isOver = count < failAt;
    await expectExact(newIndex());
    // The same process goes on with what it has in memory, and tries again.
    await expectExact(index);
    await newIndex().refresh();
  }
});

test("changes that come while a flush is under way are in the next one", async () => {
  change(0, 300);
  const write = works();
  let isFirst = true;
  const index: DirectoryIndex = newIndex(async (work) => {
    if (isFirst) {
      isFirst = false;
      change(300, 500);
      await index.refresh();
    }
    return await write(work);
  });
  await index.refresh();
  await index.flush();
  await expectExact(index);
  await index.flush();
  await expectExact(newIndex());
  expect(database.query("SELECT indexed_to, next_number FROM prospect_directories").get()).toEqual({
    indexed_to: 500,
    next_number: 500,
  });
  expect(database.query("SELECT count(*) AS n FROM prospect_changes").get()).toEqual({ n: 0 });
});

test("an index that is made anew has the addresses of old jobs", async () => {
  const rows = createProspectRows(database);
  const moved = { ...content(1).content, formerEmails: ["a@old.example", "b@old.example"] };
  const { identity } = content(1);
  const insert = () => rows.insert(JSON.stringify(moved), prospectKeys(identity), besideNameOf(identity), 0);
  database.transaction(() => rows.unit(owner, insert))();
  const index = newIndex();
  await index.refresh();
  for (const email of moved.formerEmails) expect([...index.find(Float64Array.of(emailKey(email)), 9)]).toEqual([0, 0]);
});

test("an index that was made by other rules is made anew", async () => {
  change(0, 400);
  const index = newIndex();
  await index.refresh();
  await index.flush();
  change(400, 450);
  database.run("UPDATE prospect_directories SET rules = 0");
  database.run("UPDATE prospect_terms SET value = value || ' of old'");
  database.run("UPDATE prospect_key_pages SET entries = zeroblob(length(entries))");
  database.run("UPDATE prospects SET keys = zeroblob(40)");
  const next = newIndex();
  await expectExact(next);
  const { identity } = content(2);
  const keys = prospectKeys(identity).map((key, place) => indexedKey(key, place, besideNameOf(identity)));
  for (const key of keys) expect(next.find(Float64Array.of(key), 1000).filter((_, at) => at % 2 === 1)).toContain(2);
  expect(
    finished(matches(next.postings, termQuery({ company: { industry: ["Industry Software of old"] } }), next.segments)),
  ).toEqual([]);
  await next.flush();
  await expectExact(newIndex());
});

test("companies go by their names as they are compared now, and those that have become one are one", async () => {
  change(0, 3);
  const stored = (key: string, nameKey: string | null, content: CompanyContent, at: number) =>
    database.run("INSERT INTO prospect_companies VALUES (1, ?, ?, ?, ?, ?)", [
      ...[key, nameKey],
      ...[JSON.stringify(content), at, at],
    ]);
  // As version 3 had them; more than are looked at at once.
  stored("att.com", "at and t", { company: "AT and T", domain: "att.com" }, 1);
  stored("none.example", null, { domain: "none.example" }, 1);
  stored("name:the gap", "the gap", { company: "The Gap", industry: "Clothes", companySize: "11-50" }, 2);
  stored("name:gap", "gap", { company: "Gap", industry: "Holes" }, 1);
  stored("name:bed and bath", "bed and bath", { company: "Bed and Bath", industry: "Towels" }, 1);
  const toyota = "トヨタ自動車株式会社";
  stored(`name:${folded(toyota)}`, folded(toyota), { company: toyota, industry: "Cars" }, 1);
  for (let n = 0; n < 700; n++) stored(`name:the n${n}`, `the n${n}`, { company: `The N${n}` }, 1);
  database.run("UPDATE prospect_directories SET rules = 3");
  let left = 3;
  const breaking: Write = async (work) => {
    if (--left === 0) throw new Error("The disk is gone");
    return await works()(work);
  };
  expect(newIndex(breaking).refresh()).rejects.toThrow("The disk is gone");
  await expectExact(newIndex());
  const companies = createProspectCompanies(database);
  const find = (name: string) => companies.find(owner, null, name);
  expect(find("AT&T")?.key).toBe("att.com");
  expect(find("Gap")?.content).toEqual({ company: "The Gap", industry: "Clothes", companySize: "11-50" });
  expect(find("Bed & Bath")?.content.industry).toBe("Towels");
  expect(find("(株)トヨタ自動車")?.content.industry).toBe("Cars");
  for (let n = 0; n < 700; n++) expect(find(`N${n}`)?.key).toBe(`name:n${n}`);
  expect(database.query("SELECT count(*) AS n FROM prospect_companies WHERE owner = 1").get()).toEqual({ n: 705 });
});
