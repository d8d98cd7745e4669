import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { chargeCredits } from "../../src/adapters/storage/postgres/credit-rows.ts";
import { lockDirectory } from "../../src/adapters/storage/postgres/directory/directory-row.ts";
import { DirectoryUnit } from "../../src/adapters/storage/postgres/directory/directory-unit.ts";
import { fold } from "../../src/adapters/storage/postgres/directory/index-fold.ts";
import { openEngine, type Connection, type Engine } from "../../src/adapters/storage/postgres/engine.ts";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { putPerson } from "../../src/features/prospecting/directory-decisions.ts";
import { termQuery } from "../../src/features/prospecting/facets/query.ts";
import { besideNameOf, personKeys } from "../../src/features/prospecting/keys.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { all, imported, made, nothing, personRow } from "../support/prospect-rows.ts";

type Nodes = { engine: Engine; first: Storage; second: Storage; workspaceId: string; owner: number };

/** Two nodes on one database, and a workspace. `engine` steers transactions of a third one. */
async function withTwoNodes(run: (nodes: Nodes) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const engine = openEngine(database.url, { poolSize: 3 });
  const open = () => openPostgresStorage(database.url, new FakeClock(), { poolSize: 4 });
  const [first, second] = [await open(), await open()];
  const { user } = await createFactories().storedUser(first);
  try {
    const owner = (await first.leads.ownerNumber(user.id))!;
    await run({ engine, first, second, workspaceId: user.id, owner });
  } finally {
    await Promise.all([first.close(), second.close(), engine.close()]);
    await database.release();
  }
}

/** Resolves once some connection waits for a lock that another one holds. */
async function untilSomebodyWaits({ orm }: Engine): Promise<void> {
  for (;;) {
    const rows = await orm.execute(sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    if (rows.length > 0) return;
    await Bun.sleep(5);
  }
}

/** Runs `hold` in a transaction that ends only when the action of another node waits for it. */
async function whileHeld<T>(
  engine: Engine,
  hold: (connection: Connection) => Promise<void>,
  action: () => Promise<T>,
): Promise<T> {
  let running: Promise<T> | null = null;
  await engine.transact(async (connection) => {
    await hold(connection);
    running = action();
    await untilSomebodyWaits(engine);
  });
  return await running!;
}

/** What a put of these people does in its transaction. */
async function putIn(connection: Connection, owner: number, emails: readonly string[]): Promise<void> {
  const unit = await DirectoryUnit.open(connection, owner);
  const told = emails.map((email) => made({ email }));
  for (const { identity } of told) unit.prospects.expectPerson(personKeys(identity), besideNameOf(identity));
  await unit.decide((stage) => told.map((each) => putPerson(stage.records, each, startOfTests)));
  await unit.write();
}

const rowsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => personRow(from + n, { email: `p${from + n}@example.com` }));
const totalOf = async ({ prospects }: Storage, workspaceId: string) =>
  (await prospects.search({ workspaceId, query: nothing, offset: 0, limit: 0 })).total;

test("two importers of the same people make each of them once", async () => {
  await withTwoNodes(async ({ engine, first, second, workspaceId, owner }) => {
    // The second importer has begun before the first one has committed.
    const counts = await whileHeld(
      engine,
      (connection) => putIn(connection, owner, ["p1@example.com", "p2@example.com"]),
      () => imported(second, workspaceId, rowsOf(1, 5)),
    );
    expect(counts).toMatchObject({ created: 2, skipped: 2 });
    const again = await Promise.all(
      [first, second].map(({ prospects }) =>
        prospects.put(
          workspaceId,
          Array.from({ length: 20 }, (_, n) => made({ email: `p${n}@example.com` })),
          startOfTests,
        ),
      ),
    );
    expect(again[0]!.map(({ id }) => id)).toEqual(again[1]!.map(({ id }) => id));
    expect(await all(first, workspaceId)).toHaveLength(20);
  });
});

test("a search finds all that was committed before on any node, and nothing of an import that is going on", async () => {
  await withTwoNodes(async ({ engine, first, second, workspaceId, owner }) => {
    await imported(first, workspaceId, rowsOf(0, 300));
    expect(await totalOf(second, workspaceId)).toBe(300);
    await engine.transact(async (connection) => {
      await putIn(connection, owner, ["new@example.com"]);
      expect(await totalOf(second, workspaceId)).toBe(300);
    });
    expect(await totalOf(second, workspaceId)).toBe(301);
    expect(await totalOf(first, workspaceId)).toBe(301);
  });
});

test("searches during imports and folds see the totals of one moment", async () => {
  await withTwoNodes(async ({ engine, first, second, workspaceId, owner }) => {
    // Each batch adds as many of one industry as of the other, so a total that mixes two moments is odd one out.
    const batch = (n: number) =>
      Array.from({ length: 40 }, (_, place) =>
        personRow(n * 40 + place, {
          email: `p${n * 40 + place}@example.com`,
          industry: place % 2 === 0 ? "Even" : "Odd",
          companySize: "11-50",
        }),
      );
    let isDone = false;
    const importing = (async () => {
      for (let n = 0; n < 25; n++) {
        await imported(first, workspaceId, batch(n));
        if (n % 4 === 3) await fold(engine, owner, true);
      }
      isDone = true;
    })();
    const query = termQuery({ company: { size: ["11-50"] } });
    let last = 0;
    while (!isDone) {
      const { total } = await second.prospects.search({ workspaceId, query, offset: 0, limit: 10 });
      expect(total % 40).toBe(0);
      expect(total).toBeGreaterThanOrEqual(last);
      last = total;
      const counts = await second.prospects.facet({ workspaceId, facet: "industry", text: "", limit: 9, query });
      expect(new Set(counts.map(({ count }) => count)).size).toBeLessThanOrEqual(1);
      const rough = await second.prospects.facet({
        workspaceId,
        facet: "industry",
        text: "",
        limit: 9,
        query: nothing,
      });
      expect(new Set(rough.map(({ count }) => count)).size).toBeLessThanOrEqual(1);
    }
    await importing;
    expect(await totalOf(second, workspaceId)).toBe(1000);
  });
});

test("what is stored during a fold waits for the next one, and two nodes that fold at once do it once", async () => {
  await withTwoNodes(async ({ engine, first, second, workspaceId, owner }) => {
    await imported(first, workspaceId, rowsOf(0, 200));
    await whileHeld(
      engine,
      (connection) => putIn(connection, owner, ["late@example.com"]),
      () => first.prospects.settle(workspaceId),
    );
    const { terms, changes } = await indexOf(engine, owner);
    expect(terms).toEqual({ all: 200 });
    expect(changes).toBe(1);
    expect([await totalOf(first, workspaceId), await totalOf(second, workspaceId)]).toEqual([201, 201]);
    await Promise.all([first.prospects.settle(workspaceId), second.prospects.settle(workspaceId)]);
    expect(await indexOf(engine, owner)).toEqual({ terms: { all: 201 }, changes: 0 });
    expect(await totalOf(first, workspaceId)).toBe(201);
  });
});

/** The count of the term of every prospect, and how many changes are not folded. */
async function indexOf({ orm }: Engine, owner: number) {
  const [row] = await orm.execute<{ all: number; changes: number }>(sql`
    SELECT (SELECT prospects FROM prospect_terms WHERE owner = ${owner} AND facet = 'all') AS all,
      (SELECT count(*) FROM prospect_changes WHERE owner = ${owner}) AS changes`);
  return { terms: { all: row!.all }, changes: row!.changes };
}

test("two buyers of the same prospect in a workspace are charged once", async () => {
  await withTwoNodes(async ({ engine, first, second, workspaceId, owner }) => {
    await first.credits.add(createFactories().grant(workspaceId, { amount: 10 }));
    const [stored] = await first.prospects.put(workspaceId, [made({ email: "p@example.com" })], startOfTests);
    const charge = { workspaceId, purpose: "search" as const, keyId: null, at: startOfTests };
    const buy = ({ prospects }: Storage, request: string) =>
      prospects.reveal({
        ...{ workspaceId, ids: [stored!.id], freeSince: startOfTests - 1000 },
        payment: { kind: "charge", each: 2, charge: { ...charge, entryId: request, request } },
      });
    // The first buyer has paid, but not committed, when the second one looks.
    const late = await whileHeld(
      engine,
      async (connection) => {
        await lockDirectory(connection, owner);
        await chargeCredits(connection, { ...charge, entryId: "e0", request: "r0", amount: 2 });
        await connection.execute(sql`INSERT INTO prospect_reveals VALUES (${owner}, 0, ${startOfTests})`);
      },
      () => buy(second, "r1"),
    );
    expect(late).toEqual({ kind: "charged", charged: 0, balance: 8 });
    await engine.orm.execute(sql`DELETE FROM prospect_reveals`);
    const raced = await Promise.all([buy(first, "r2"), buy(second, "r3"), buy(first, "r4")]);
    const charges = raced.map((outcome) => (outcome.kind === "charged" ? outcome.charged : Number.NaN));
    expect(charges.toSorted((one, other) => one - other)).toEqual([0, 0, 2]);
    expect(await first.credits.balance(workspaceId)).toBe(6);
  });
});

test("an index that was made by other rules is made anew, while both nodes store and search", async () => {
  await withTwoNodes(async ({ engine, first, second, workspaceId, owner }) => {
    const industry = (n: number) => ({ email: `p${n}@example.com`, industry: n % 2 === 0 ? "Robots" : "Toys" });
    await imported(
      first,
      workspaceId,
      Array.from({ length: 200 }, (_, n) => personRow(n, industry(n))),
    );
    await first.prospects.settle(workspaceId);
    await engine.orm.execute(sql`UPDATE prospect_terms SET value = value || ' of old' WHERE owner = ${owner}`);
    await engine.orm.execute(sql`DELETE FROM prospect_keys WHERE owner = ${owner}`);
    await engine.orm.execute(sql`UPDATE prospect_directories SET rules = 0 WHERE owner = ${owner}`);
    const query = termQuery({ company: { industry: ["robots"] } });
    const [found, stored] = await Promise.all([
      first.prospects.search({ workspaceId, query, offset: 0, limit: 5 }),
      second.prospects.put(workspaceId, [made(industry(7)), made(industry(300))], startOfTests),
    ]);
    expect([100, 101]).toContain(found.total);
    const { prospects } = await second.prospects.search({ workspaceId, query, offset: 100, limit: 5 });
    expect(prospects.map(({ id }) => id)).toEqual([stored[1]!.id]);
    expect(await totalOf(first, workspaceId)).toBe(201);
    const old = termQuery({ company: { industry: ["robots of old"] } });
    expect((await first.prospects.search({ workspaceId, query: old, offset: 0, limit: 5 })).total).toBe(0);
  });
});
