import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { besideNameOf, isPersonKey, prospectIdentity, prospectKeys } from "../../src/features/prospecting/keys.ts";
import { isHot } from "../../src/lib/key-index/key-hash.ts";
import { KeyRuns } from "../../src/lib/key-index/key-runs.ts";
import { runPages } from "../../src/adapters/storage/sqlite/directory/key-run-pages.ts";
import { indexedKey } from "../../src/features/prospecting/name-keys.ts";
import { eachBlob } from "../../src/lib/concurrency/packed-blobs.ts";
import { numberOf, prospectId } from "../../src/features/prospecting/prospect-id.ts";
import { RecentKeys } from "../../src/lib/key-index/recent-keys.ts";
import { seeded } from "../support/random.ts";

test("keys tell persons from companies, and do not change from one version to the next", () => {
  const identity = prospectIdentity({
    firstName: "Ada",
    lastName: "Lovelace",
    company: "Engines Ltd.",
    email: "Ada@Engines.example",
    networkUrl: "https://www.network.example/in/Ada/",
  });
  expect(identity).toEqual({
    email: "ada@engines.example",
    network: "https://network.example/in/ada",
    name: "ada\nlovelace\nengines",
    company: "engines",
    domain: "engines.example",
  });
  // The index has them on disk: another value here asks for other `termRules`.
  expect(prospectKeys(identity)).toEqual([
    6685113224730204, 4359350816714962, 2250041699729216, 5223435859854965, 3944220015912463,
  ]);
  expect(prospectKeys(identity).map(isPersonKey)).toEqual([true, true, true, false, false]);
  const beside = besideNameOf(identity);
  expect(prospectKeys(identity).map((key, place) => indexedKey(key, place, beside))).toEqual([
    6685113224730204, 4359350816714962, 9005441140784960, 5223435859854965, 3944220015912463,
  ]);
  expect(prospectIdentity({ email: "x@gmail.com" }).domain).toBeNull();
});

test("keys of persons are hot in the index: otherwise, its filters would not contain them", () => {
  const random = seeded(3);
  const keys = Array.from({ length: 1000 }, () => Math.floor(random() * 2 ** 53));
  expect(keys.map(isPersonKey)).toEqual(keys.map(isHot));
});

/** Runs with their pages in a table, and what a flush and a merge do to it. */
function createRuns(largeRun?: number) {
  const database = new Database(":memory:");
  database.run("CREATE TABLE prospect_key_pages (place INTEGER PRIMARY KEY, entries BLOB NOT NULL)");
  const insert = database.prepare("INSERT INTO prospect_key_pages VALUES (?, ?)");
  let last = 0;
  const next = () => ++last;
  return {
    runs: new KeyRuns(runPages(database), [], largeRun),
    database,
    merge(runs: KeyRuns): boolean {
      const merge = runs.beginMerge(next);
      if (merge === null) return false;
      for (const pages of merge.pages()) eachBlob(pages, (place, entries) => void insert.run(place, entries));
      runs.endMerge();
      return true;
    },
    pagesOf: (run: number) =>
      database.query("SELECT 1 FROM prospect_key_pages WHERE place / 65536 = ?").values(run).length,
    flush(runs: KeyRuns): number {
      const run = runs.beginFlush(next);
      if (run === null) return 0;
      for (const pages of run.pages) eachBlob(pages, (place, entries) => void insert.run(place, entries));
      runs.endFlush(run.runs);
      for (const dropped of run.dropped)
        database.run("DELETE FROM prospect_key_pages WHERE place BETWEEN ? AND ?", [
          dropped * 65_536,
          dropped * 65_536 + 65_535,
        ]);
      return run.runs.length;
    },
  };
}

test("every key that was added is found, before a flush, after it, and by the next process; others are not", () => {
  const { runs, database, flush } = createRuns();
  const random = seeded(5);
  const model = new Map<number, Set<number>>();
  for (let n = 0; n < 6000; n++) {
    const key = Math.floor(random() * 2 ** 26) * 2 ** 20 + (n % 7 === 0 ? 1 : 0);
    const known = n % 50 === 0 && model.size > 0 ? [...model.keys()][n % model.size]! : key;
    runs.add(known, n);
    model.set(known, (model.get(known) ?? new Set()).add(n));
    if (n % 1100 === 0) flush(runs);
  }
  const check = (one: KeyRuns) => {
    for (const [key, numbers] of model)
      if (new Set(one.find(key, 1000)).symmetricDifference(numbers).size > 0)
        throw new Error(`Key ${key} is not found right`);
    for (let n = 0; n < 200; n++) expect(one.find(Math.floor(random() * 2 ** 26) * 2 ** 20 + 2, 10)).toEqual([]);
  };
  check(runs);
  const count = flush(runs);
  expect(count).toBeLessThan(4); // small runs are merged
  check(runs);
  check(new KeyRuns(runPages(database), runs.state));
});

test("many questions are answered by the filters, also after further flushes and merges", () => {
  const { runs, flush } = createRuns();
  for (let n = 0; n < 6000; n++) runs.add(n * 64, n);
  flush(runs);
  for (let n = 0; n < 25_000; n++) runs.find(n * 64 + 2, 8);
  expect(runs.isToBePrepared).toBe(true);
  runs.prepare();
  expect(runs.isToBePrepared).toBe(false);
  for (let n = 6000; n < 9000; n++) runs.add(n * 64, n);
  flush(runs); // takes the place of the run before
  runs.prepare();
  for (let n = 0; n < 9000; n += 7) expect(runs.find(n * 64, 8)).toEqual([n]);
  runs.rest();
  for (let n = 0; n < 9000; n += 100) expect(runs.find(n * 64, 8)).toEqual([n]);
});

const largeRun = 500;

/** So that filters are made. */
function askManyTimes(runs: KeyRuns): void {
  for (let n = 0; n < 5000; n++) runs.find(2, 1);
}

test("runs of flushes become one by sixteens, which takes their place with the next flush", () => {
  const { runs, database, flush, merge, pagesOf } = createRuns(largeRun);
  let count = 0;
  const flushMany = (flushes: number) => {
    for (let n = 0; n < flushes * 601; n++, count++)
      runs.add((count % 9001) * 64 * 2 ** 26 + (count % 3 === 0 ? 1 : 0), count);
    return flush(runs);
  };
  const check = (one: KeyRuns) => {
    for (let n = 0; n < 9001; n += 13) {
      const numbers = [n, n + 9001, n + 18_002].filter((number) => number < count);
      const found = [0, 1].flatMap((odd) => [...one.find(n * 64 * 2 ** 26 + odd, 100)]);
      expect(found.toSorted((a, b) => a - b)).toEqual(numbers);
      expect(one.find(n * 64 * 2 ** 26 + 2, 100)).toEqual([]);
    }
  };
  for (let n = 1; n < 16; n++) expect(flushMany(1)).toBe(n);
  expect(merge(runs)).toBe(false);
  expect(flushMany(1)).toBe(16);
  askManyTimes(runs);
  while (runs.isToBePrepared) runs.prepare();
  expect(merge(runs)).toBe(true);
  check(runs); // nobody knows of it yet
  expect(flushMany(1)).toBe(2);
  expect(runs.state.map(([, entries]) => entries)).toEqual([16 * 601, 601]);
  check(runs);
  // The old ones are gone, the new one has pages that are all full but the last.
  expect(Array.from({ length: 16 }, (_, n) => pagesOf(n + 1)).every((pages) => pages === 0)).toBe(true);
  const filterBytes = Math.ceil((16 * 601) / 64) * 64;
  expect(pagesOf(runs.state[0]![0])).toBe(Math.ceil((16 * 601) / 336) + Math.ceil(filterBytes / (336 * 12)));
  for (let n = 0; n < 15; n++) flushMany(1);
  expect(merge(runs)).toBe(true);
  expect(flush(runs)).toBe(2); // with nothing else to write
  check(runs);
  const next = new KeyRuns(runPages(database), runs.state, largeRun);
  check(next);
  askManyTimes(next);
  while (next.isToBePrepared) next.prepare(); // the filters of merged runs, as they are on disk
  check(next);
});

test("a merge that fails, or that no flush has taken in, loses nothing and is begun again", () => {
  const { runs, flush, merge } = createRuns(largeRun);
  for (let n = 0; n < 16; n++) {
    for (let at = 0; at < 600; at++) runs.add((n * 600 + at) * 2 ** 30, n * 600 + at);
    flush(runs);
  }
  runs.beginMerge(() => 1000);
  expect(runs.beginMerge(() => 1001)).toBeNull(); // one at a time
  runs.failMerge();
  expect(merge(runs)).toBe(true);
  runs.add(2, 1);
  runs.beginFlush(() => 1002);
  runs.failFlush();
  expect(runs.find(2 ** 30, 9)).toEqual([1]);
  expect(flush(runs)).toBe(2);
  for (let n = 0; n < 9600; n += 31) expect(runs.find(n * 2 ** 30, 9)).toEqual([n]);
  expect(runs.find(2, 9)).toEqual([1]);
});

test("a key that very many have costs no more than one that few have, and is found up to the limit", () => {
  const { runs, flush } = createRuns();
  for (let n = 0; n < 100_000; n++) runs.add(8, n);
  expect(runs.find(8, 5)).toHaveLength(5);
  flush(runs);
  expect(runs.find(8, 5)).toHaveLength(5);
  expect(runs.find(8, Number.POSITIVE_INFINITY)).toHaveLength(100_000);
});

test("all numbers of a key are gone through, wherever they are", () => {
  const { runs, flush } = createRuns();
  const numbers = (key: number) => {
    const found: number[] = [];
    runs.each(key, (number) => found.push(number));
    return found.toSorted((a, b) => a - b);
  };
  for (let n = 0; n < 3000; n++) runs.add(n % 3 === 0 ? 9 : 8 + n * 2, n);
  flush(runs);
  for (let n = 3000; n < 3009; n++) runs.add(9, n);
  const expected = [...Array.from({ length: 1000 }, (_, n) => n * 3), ...Array.from({ length: 9 }, (_, n) => n + 3000)];
  expect(numbers(9)).toEqual(expected);
  runs.beginFlush(() => 99);
  expect(numbers(9)).toEqual(expected);
  runs.failFlush();
  flush(runs);
  expect([numbers(9), numbers(7)]).toEqual([expected, []]);
});

test("a flush that fails loses nothing", () => {
  const { runs, flush } = createRuns();
  runs.add(2, 1);
  runs.beginFlush(() => 99);
  runs.add(4, 2);
  expect(runs.find(2, 9)).toEqual([1]);
  runs.failFlush();
  flush(runs);
  expect([runs.find(2, 9), runs.find(4, 9)]).toEqual([[1], [2]]);
});

test("what was stored lately is kept as long as somebody who asked before may need it", () => {
  const keys = new RecentKeys();
  const first = keys.begin();
  keys.beginUnit();
  keys.add(2, 10);
  const second = keys.begin();
  keys.beginUnit();
  keys.add(2, 11);
  second();
  expect(keys.find(2)).toEqual([10, 11]);
  first();
  expect(keys.find(2)).toEqual([]);
});

test("an id is that of one user's prospect only", () => {
  const id = prospectId("user-1", 4_000_000_000);
  expect(numberOf("user-1", id)).toBe(4_000_000_000);
  expect(numberOf("user-2", id)).toBeNull();
  for (const wrong of ["", "prs_", `${id}0`, id.toUpperCase(), id.replace("prs", "lea")])
    expect(numberOf("user-1", wrong)).toBeNull();
});
