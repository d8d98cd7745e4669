import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine, type Engine } from "../../src/adapters/storage/sqlite/engine.ts";
import { createKeyIndex } from "../../src/adapters/storage/sqlite/key-index.ts";
import { mergeAt, type KeyIndex } from "../../src/lib/key-index/key-index.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { createDice } from "../support/ids.ts";

const keyOf = (lead: number): number => lead * 7 + 3;

const leadKeys = (engine: Engine): KeyIndex => createKeyIndex(engine, { table: "lead_keys", row: "lead" });

let folder: string;
const opened: Engine[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-keys-"));
});

afterEach(async () => {
  for (const engine of opened.splice(0)) await close(engine);
  rmSync(folder, { recursive: true });
});

test("a key leads to the leads that were added under it, and to no other", async () => {
  const engine = open("first");
  const keys = leadKeys(engine);
  await engine.writer.write(() => {
    keys.add(5, 1);
    keys.add(5, 2);
    keys.add(6, 3);
  });
  expect(new Set(keys.find(5))).toEqual(new Set([1, 2]));
  expect(new Set(keys.find(6))).toEqual(new Set([3]));
  expect(keys.find(7)).toEqual([]);
  expect([5, 6, 7].map((key) => keys.has(key))).toEqual([true, true, false]);
});

test("a removed entry is not found, nor merged, and those beside it are", async () => {
  const engine = open("first");
  const keys = leadKeys(engine);
  await engine.writer.write(() => {
    keys.add(5, 1);
    keys.add(5, 2);
  });
  await engine.writer.write(() => keys.remove(5, 1));
  expect(keys.find(5)).toEqual([2]);
  await engine.writer.write(() => keys.remove(5, 2));
  expect(keys.has(5)).toBe(false);
  await engine.writer.write(() => {
    keys.add(5, 2);
  });
  await fillToMerge(engine, keys, 1000);
  await keys.settled();
  expect(keys.find(5)).toEqual([2]);
  expect(leadKeys(restarted("first", "second")).find(5)).toEqual([2]);
});

test("every entry is found before, throughout and behind a merge, which empties the log", async () => {
  const engine = open("first");
  const dice = createDice(51);
  let count = 0;
  let looks = 0;
  const writer = writerOver(engine, async (write) => {
    const result = await write();
    if (count === 0) return result;
    looks++;
    for (let n = 0; n < 50; n++) expectFound(keys, dice.below(count));
    return result;
  });
  const keys: KeyIndex = leadKeys({ ...engine, writer });
  count = await fillToMerge(engine, keys);
  await keys.settled();
  expect(looks).toBeGreaterThan(5);
  expectAllFound(keys, count);
  expect(countOf(engine, "lead_keys")).toBe(count);
  expect(countOf(engine, "lead_keys_log")).toBe(0);
});

test("entries that come while others are merged are found at once, and after a restart", async () => {
  const engine = open("first");
  const keys = leadKeys(engine);
  const count = await fillToMerge(engine, keys);
  for (let lead = count; lead < count + 40; lead++) {
    await engine.writer.write(() => {
      keys.add(keyOf(lead), lead);
    });
    expectFound(keys, lead);
  }
  await keys.settled();
  const after = leadKeys(restarted("first", "second"));
  for (let lead = count - 100; lead < count + 40; lead++) {
    expectFound(keys, lead);
    expectFound(after, lead);
  }
});

test("a process that is killed at any point of a merge loses no entry", async () => {
  const engine = open("life-0");
  let writes = 0;
  let copies = 0;
  // What is on disk changes with a write only.
  const writer = writerOver(engine, async (write) => {
    if (writes++ % 3 === 0) copy("life-0", `life-${++copies}`);
    return await write();
  });
  const keys = leadKeys({ ...engine, writer });
  const count = await fillToMerge(engine, keys);
  await keys.settled();
  expect(copies).toBeGreaterThan(3);
  for (let life = 1; life <= copies; life++) expectAllFound(leadKeys(open(`life-${life}`)), count);
});

test.each([1, 9, 30])(
  "a merge that fails at its write %d loses nothing, and a later one takes its entries along",
  async (failing) => {
    const engine = open("first");
    let writes = 0;
    const writer = writerOver(engine, async (write) => {
      if (++writes === failing) throw new Error("The disk is full");
      return await write();
    });
    const keys = leadKeys({ ...engine, writer });
    const count = await fillToMerge(engine, keys);
    await keys.settled();
    expect(writes).toBeGreaterThanOrEqual(failing);
    expectAllFound(keys, count);
    expectAllFound(leadKeys(restarted("first", "second")), count);
    const more = await fillToMerge(engine, keys, count);
    await keys.settled();
    expect(countOf(engine, "lead_keys")).toBeGreaterThanOrEqual(count);
    expectAllFound(keys, more);
  },
);

test("an entry that comes at the moment at which a merge has emptied the log is there after a restart", async () => {
  const engine = open("first");
  const late = 1_000_000;
  let wasAdded = false;
  const writer = writerOver(engine, async (write) => {
    const result = await write();
    if (!wasAdded && countOf(engine, "lead_keys_log") === 0) {
      wasAdded = true;
      await engine.writer.write(() => {
        keys.add(keyOf(late), late);
      });
    }
    return result;
  });
  const keys: KeyIndex = leadKeys({ ...engine, writer });
  await fillToMerge(engine, keys);
  await keys.settled();
  expect(wasAdded).toBe(true);
  expectFound(leadKeys(restarted("first", "second")), late);
});

test("whoever adds many entries waits while as many as make a merge wait for one", async () => {
  const engine = open("first");
  const keys = leadKeys(engine);
  await keys.room();
  const count = await fillToMerge(engine, keys);
  // In one turn, so that the merge can't keep up.
  await Promise.all(Array.from({ length: count / 1000 }, (_, n) => add(engine, keys, count + n * 1000)));
  expect(await isPending(keys.room())).toBe(true);
  await keys.room();
  expectAllFound(keys, 2 * count);
  await keys.settled();
});

test("a merge writes a key with very many rows in as many units as it writes as many keys", async () => {
  const largestUnit = async (name: string, keyFor: (lead: number) => number): Promise<number> => {
    const engine = open(name);
    const changes = (): number => engine.database.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
    let most = 0;
    const writer = writerOver(engine, (write) => write());
    const measured = Object.assign(Object.create(writer) as Engine["writer"], {
      write: <T>(run: () => T): Promise<T> =>
        writer.write(() => {
          const before = changes();
          const result = run();
          most = Math.max(most, changes() - before);
          return result;
        }),
    });
    const keys = leadKeys({ ...engine, writer: measured });
    for (let lead = 0; lead < mergeAt; lead += 1000)
      await engine.writer.write(() => {
        for (let each = lead; each < lead + 1000; each++) keys.add(keyFor(each), each);
      });
    await keys.settled();
    expect(countOf(engine, "lead_keys")).toBe(mergeAt);
    return most;
  };
  const distinct = await largestUnit("distinct", keyOf);
  expect(await largestUnit("same", () => 5)).toBe(distinct);
});

test("rows that are removed while their key is merged do not come back", async () => {
  const engine = open("first");
  let removal = (): void => {};
  const writer = writerOver(engine, async (write) => {
    const result = await write();
    removal();
    return result;
  });
  const keys = leadKeys({ ...engine, writer });
  const [one, last] = [5, mergeAt - 1];
  removal = () => {
    removal = () => {};
    void engine.writer.write(() => keys.remove(one, last));
  };
  for (let lead = 0; lead < mergeAt; lead += 1000)
    await engine.writer.write(() => {
      for (let each = lead; each < lead + 1000; each++) keys.add(one, each);
    });
  await keys.settled();
  expect(countOf(engine, "lead_keys")).toBe(mergeAt - 1);
  expect([...keys.each(one)]).toEqual(Array.from({ length: mergeAt - 1 }, (_, lead) => lead));
});

/** The engine's writer, with something done about each write of a merge. */
function writerOver({ writer }: Engine, about: <T>(write: () => Promise<T>) => Promise<T>): Engine["writer"] {
  const write = <T>(run: () => T): Promise<T> => about(() => writer.write(run));
  const join: Engine["writer"]["join"] = (participant) => writer.join(participant);
  return Object.assign(Object.create(writer) as Engine["writer"], { write, join });
}

function expectFound(keys: KeyIndex, lead: number): void {
  if (!keys.has(keyOf(lead)) || !keys.find(keyOf(lead)).includes(lead))
    expect.unreachable(`Lead ${lead} is not found under its key`);
}

/** Of so many entries, a sample. */
function expectAllFound(keys: KeyIndex, count: number): void {
  for (let lead = 0; lead < count; lead += 97) expectFound(keys, lead);
}

/** Adds an entry each for many leads, as large imports do, until a merge begins; answers how many there are then. */
async function fillToMerge(engine: Engine, keys: KeyIndex, from = 0): Promise<number> {
  for (let lead = from; lead < from + 200_000; lead += 1000) {
    await add(engine, keys, lead);
    if (await isPending(keys.settled())) return lead + 1000;
  }
  throw new Error("Expected a merge to begin");
}

async function add({ writer }: Engine, keys: KeyIndex, from: number): Promise<void> {
  await writer.write(() => {
    for (let lead = from; lead < from + 1000; lead++) keys.add(keyOf(lead), lead);
  });
}

/** Whether a promise needs more than what is at hand already, such as a write. */
async function isPending(promise: Promise<void>): Promise<boolean> {
  let isSettled = false;
  void promise.then(() => (isSettled = true));
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return !isSettled;
}

function open(name: string): Engine {
  const engine = openEngine(join(folder, name));
  migrate(engine.database, migrations, 0);
  opened.push(engine);
  return engine;
}

/** What is on disk at this moment, under another name. */
function copy(name: string, as: string): void {
  for (const suffix of ["", "-wal"]) copyFileSync(join(folder, name + suffix), join(folder, as + suffix));
}

/** What the next process finds if this one is killed at this moment. */
function restarted(name: string, as: string): Engine {
  copy(name, as);
  return open(as);
}

function countOf({ database }: Engine, table: "lead_keys" | "lead_keys_log"): number {
  return database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
}

async function close({ writer, reader, database }: Engine): Promise<void> {
  writer.close();
  await reader.close();
  database.close();
}
