import { beforeEach, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { countOf, select } from "../../src/lib/search-index/container.ts";
import type { StoredRows } from "../../src/adapters/storage/sqlite/directory/index-messages.ts";
import { Postings, PostingsCache } from "../../src/adapters/storage/sqlite/directory/postings.ts";
import { RawTerms } from "../../src/adapters/storage/sqlite/directory/stored-batches.ts";
import { ToldRows } from "../../src/adapters/storage/sqlite/directory/told-rows.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";

let postings: Postings;
let told: ToldRows;

beforeEach(() => {
  const database = new Database(":memory:", { strict: true });
  migrate(database, migrations, 0);
  let term = 0;
  postings = new Postings(database, 1, new PostingsCache(database, 1e6), () => ++term);
  told = new ToldRows();
});

/** Raw values of industries by number, from 0 on. */
function industries(source: string, ...names: string[]): RawTerms {
  const raws = new RawTerms(source);
  raws.add(0, names.map((name) => `industry ${name}`)); // prettier-ignore
  return raws;
}

/** Prospects from `first` on: the places of their rows, and the numbers of the raw values of each row. */
function stored(first: number, places: number[], raws: number[][]): StoredRows {
  const found = {
    keys: new Float64Array(),
    keyCounts: new Uint8Array(raws.length),
    beside: new Uint8Array(raws.length),
    raws: Int32Array.from(raws.flat()),
    rawCounts: Uint8Array.from(raws, ({ length }) => length),
    epoch: 1,
    from: 0,
    added: [],
  };
  return { first, places: Int32Array.from(places), source: "job 1", found };
}

/** The numbers of those who are found by an industry; none of them is above those of one container. */
function foundBy(industry: string): number[] {
  const known = postings.known(`industry ${industry.toLowerCase()}`);
  if (known === null) return [];
  const container = postings.reader(known)(0);
  expect(known.count).toBe(countOf(container));
  return select(container, 0, 100);
}

test("who was told of is found from a move on, also between two batches", () => {
  const raws = industries("job 1", "Farming", "Mining");
  expect(told.add(stored(0, [0, 1, 2], [[0], [1], [0, 1]]), raws)).toBe(true);
  told.moveTo(postings);
  expect([foundBy("Farming"), foundBy("Mining")]).toEqual([
    [0, 2],
    [1, 2],
  ]);
  expect(told.add(stored(3, [0, 1], [[1], [0]]), raws)).toBe(true);
  told.moveTo(postings);
  told.moveTo(postings);
  expect([foundBy("Farming"), foundBy("Mining")]).toEqual([
    [0, 2, 4],
    [1, 2, 3],
  ]);
});

test("rows that made no prospect are passed over, and so are prospects that are not what their row said", () => {
  const raws = industries("job 1", "Farming", "Mining");
  // Rows 0 and 3 made nobody; the prospect 11 is in the index by what is stored of it.
  told.add(stored(10, [1, -1, 4], [[0], [1, 0], [0], [0, 1], [1]]), raws);
  told.moveTo(postings);
  expect([foundBy("Farming"), foundBy("Mining")]).toEqual([[10], [10, 12]]);
});

test("values of another source have other numbers, so those of the one before are moved first", () => {
  const [first, second] = [industries("job 1", "Farming"), industries("job 2", "Mining")];
  expect(told.add(stored(0, [0], [[0]]), first)).toBe(true);
  expect(told.add(stored(1, [0], [[0]]), second)).toBe(false);
  told.moveTo(postings);
  expect(told.add(stored(1, [0], [[0]]), second)).toBe(true);
  told.moveTo(postings);
  expect([foundBy("Farming"), foundBy("Mining")]).toEqual([[0], [1]]);
});

test("it takes no more than so many before a move", () => {
  const raws = industries("job 1", "Farming");
  const many = Array.from({ length: 5000 }, (_, place) => place);
  let batches = 0;
  const add = () =>
    told.add(
      stored(
        batches * 5000,
        many,
        many.map(() => [0]),
      ),
      raws,
    );
  while (batches < 100 && add()) batches++;
  expect(batches).toBe(4);
  told.moveTo(postings);
  expect(postings.known("industry farming")?.count).toBe(20_000);
  expect(add()).toBe(true);
});
