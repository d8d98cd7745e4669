import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { allLeads, decideInsert, leadLocks } from "../../src/features/leads/decisions.ts";
import type { InsertLead } from "../../src/features/leads/change-model.ts";
import type { Lead } from "../../src/features/leads/model.ts";
import { openEngine, type Connection, type Engine } from "../../src/adapters/storage/postgres/engine.ts";
import { writeLeadChanges } from "../../src/adapters/storage/postgres/lead-changes.ts";
import { LeadFactLoader } from "../../src/adapters/storage/postgres/lead-facts.ts";
import { replaceLeads } from "../../src/adapters/storage/postgres/lead-replacements.ts";
import { foldCounts } from "../../src/adapters/storage/postgres/lead-counts.ts";
import { createLeadStore } from "../../src/adapters/storage/postgres/leads.ts";
import { leadCounts } from "../../src/adapters/storage/postgres/tables.ts";
import { decideLoaded } from "../../src/adapters/storage/postgres/loaded.ts";
import { takeLocks } from "../../src/adapters/storage/postgres/locks.ts";
import { addEntries, createSuppressionStore } from "../../src/adapters/storage/postgres/suppressions.ts";
import { createUserStore } from "../../src/adapters/storage/postgres/users.ts";
import { createFactories, leadOf } from "../support/factories.ts";
import { insertJob } from "../../src/adapters/storage/postgres/jobs.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** Two nodes on one database, and a user. The first node's transactions are steered by the test. */
async function withTwoNodes(
  run: (
    nodes: { first: Engine; second: ReturnType<typeof storesOf>; workspaceId: string; owner: number } & Made,
  ) => Promise<void>,
): Promise<void> {
  const database = await createTestDatabase();
  const [first, other] = [openEngine(database.url, { poolSize: 3 }), openEngine(database.url, { poolSize: 3 })];
  const make = createFactories();
  const newcomer = make.newUser();
  const second = storesOf(other);
  try {
    await createUserStore(first).insert(newcomer);
    const owner = await second.leads.ownerNumber(newcomer.user.id);
    await run({ first, second, workspaceId: newcomer.user.id, owner: owner!, make });
  } finally {
    await Promise.all([first.close(), other.close()]);
    await database.release();
  }
}

type Made = { make: ReturnType<typeof createFactories> };

function storesOf(engine: Engine) {
  return { leads: createLeadStore(engine), suppressions: createSuppressionStore(engine) };
}

/** Resolves once some connection waits for a lock that another one holds. */
async function untilSomebodyWaits({ orm }: Engine): Promise<void> {
  for (;;) {
    const rows = await orm.execute(sql`
      SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database OR pg_locks.database IS NULL
      WHERE NOT granted AND datname = current_database()`);
    if (rows.length > 0) return;
    await Bun.sleep(5);
  }
}

/** Runs `hold` in a transaction of the first node that ends only when the action of the second node waits for it. */
async function whileHeld<T>(
  first: Engine,
  hold: (connection: Connection) => Promise<void>,
  action: () => Promise<T>,
): Promise<T> {
  let running: Promise<T> | null = null;
  await first.transact(async (connection) => {
    await hold(connection);
    running = action();
    await untilSomebodyWaits(first);
  });
  return await running!;
}

async function insertIn(connection: Connection, request: InsertLead): Promise<void> {
  const loader = await LeadFactLoader.open(connection, request.lead.workspaceId, null, (owner) =>
    leadLocks(owner, request),
  );
  const { changes } = await decideLoaded(() => decideInsert(request, loader.facts), loader);
  await writeLeadChanges(connection, loader.owner, changes);
}

test("a lead that another node is about to store is a duplicate", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, make }) => {
    const person = { email: "ada@example.com", networkUrl: "https://network.example/in/ada" };
    const [ours, theirs] = [
      make.leadInsert(workspaceId, person, "error"),
      make.leadInsert(workspaceId, person, "error"),
    ];
    const outcome = await whileHeld(
      first,
      (connection) => insertIn(connection, ours),
      () => second.leads.insert(theirs),
    );
    expect(outcome).toMatchObject({ kind: "duplicate", lead: { id: ours.lead.id } });
  });
});

test("an import waits for leads that are being stored, and the other way round", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, owner, make }) => {
    const lead = make.leadInsert(workspaceId, { email: "ada@example.com" }, "error");
    const outcome = await whileHeld(
      first,
      (connection) => takeLocks(connection, [allLeads(owner, false)]),
      () => second.leads.insert(lead),
    );
    expect(outcome.kind).toBe("created");
  });
});

test("of many requests of two nodes for a few people, one for each creates the lead", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, make }) => {
    const requests = Array.from({ length: 60 }, (_, n) =>
      make.leadInsert(workspaceId, { email: `p${n % 5}@example.com`, tags: [`t${n}`] }, "update"),
    );
    const nodes = [createLeadStore(first), second.leads];
    const outcomes = await Promise.all(requests.map((request, n) => nodes[n % 2]!.insert(request)));
    expect(outcomes.filter(({ kind }) => kind === "created")).toHaveLength(5);
    expect(await second.leads.count(workspaceId, {})).toBe(5);
    const stored = await Promise.all(
      outcomes.slice(0, 5).map((outcome) => second.leads.get(workspaceId, leadOf(outcome).id)),
    );
    for (const lead of stored) expect(lead).toMatchObject({ version: 12 });
  });
});

test("a merge into a lead that another node has changed meanwhile keeps both changes", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, owner, make }) => {
    const known = make.leadInsert(workspaceId, { email: "ada@example.com" });
    await second.leads.insert(known);
    const changed: Lead = { ...known.lead, title: "Countess", version: 2 };
    const outcome = await whileHeld(
      first,
      async (connection) => {
        const loader = await LeadFactLoader.open(connection, workspaceId, null, () => []);
        loader.facts.lead(known.lead.id);
        await loader.load();
        const before = loader.facts.lead(known.lead.id)!;
        await replaceLeads(connection, owner, [{ before, lead: changed, identity: known.identity }]);
      },
      () => second.leads.insert(make.leadInsert(workspaceId, { email: "ada@example.com", notes: "Met her" }, "update")),
    );
    expect(outcome).toMatchObject({ kind: "updated", lead: { title: "Countess", notes: "Met her", version: 3 } });
  });
});

test.each(["user", "team"] as const)(
  "an entry of the %s that is being added is waited for, and blocks its person",
  async (scope) => {
    await withTwoNodes(async ({ first, second, workspaceId, make }) => {
      const entry = make.suppression(scope === "user" ? workspaceId : null, "email", "ada@example.com");
      const outcome = await whileHeld(
        first,
        async (connection) => void (await addEntries(connection, [entry])),
        () => second.leads.insert(make.leadInsert(workspaceId, { email: "ada@example.com" })),
      );
      expect(outcome).toMatchObject({ kind: "doNotContact", match: { entryId: entry.id, scope } });
    });
  },
);

test.each(["user", "team"] as const)(
  "an entry of the %s is added only after a lead that is being stored",
  async (scope) => {
    await withTwoNodes(async ({ first, second, workspaceId, make }) => {
      const lead = make.leadInsert(workspaceId, { email: "ada@example.com" });
      const entry = make.suppression(scope === "user" ? workspaceId : null, "email", "ada@example.com");
      await whileHeld(
        first,
        (connection) => insertIn(connection, lead),
        async () => {
          await second.suppressions.add([entry]);
          expect(await second.leads.get(workspaceId, lead.lead.id)).toEqual(lead.lead);
        },
      );
      expect(await second.suppressions.get(workspaceId, entry.id)).toEqual(entry);
    });
  },
);

test("counts are exact while their changes are folded", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, make }) => {
    const seen: number[] = [];
    const count = async () => seen.push(await second.leads.count(workspaceId, {}));
    for (let round = 1; round <= 3; round++) {
      const leads = Array.from({ length: 250 }, (_, n) =>
        make.leadInsert(workspaceId, { email: `ada${round}x${n}@example.com` }),
      );
      const inserting = Promise.all(leads.map((lead) => second.leads.insert(lead)));
      for (let n = 0; n < 10; n++) await Promise.all([foldCounts(first.orm), foldCounts(first.orm), count()]);
      await inserting;
      await Promise.all([foldCounts(first.orm), foldCounts(first.orm)]);
      await count();
      expect(seen.at(-1)).toBe(round * 250);
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect((await first.orm.select().from(leadCounts)).length).toBeLessThan(200);
  });
});

test("changes of counts are folded at once, although the planner knows of one only", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, owner }) => {
    const change = sql`INSERT INTO ${leadCounts} (owner, status, leads) SELECT ${owner}, 'new', 1 FROM generate_series(1, 2000)`;
    await first.orm.execute(sql`ALTER TABLE ${leadCounts} SET (autovacuum_enabled = false)`);
    await first.orm.execute(change);
    await first.orm.execute(sql`DELETE FROM ${leadCounts} WHERE n < (SELECT max(n) FROM ${leadCounts})`);
    await first.orm.execute(sql`VACUUM ANALYZE ${leadCounts}`);
    await first.orm.execute(change);
    // A statement is canceled after 30 seconds.
    await foldCounts(first.orm);
    expect(await first.orm.select().from(leadCounts)).toMatchObject([{ leads: 2_001 }]);
    expect(await second.leads.count(workspaceId, {})).toBe(2_001);
  });
});

test("after a large import, the planner knows how many leads there are", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, make }) => {
    const storage = { leads: second.leads } as Parameters<typeof make.importBatch>[0];
    const job = make.job(workspaceId, { status: "running", attempt: 1, leaseUntil: 9e12 });
    await insertJob(first.orm, job);
    const rows = Array.from({ length: 5_000 }, (_, n) => make.importRow(n, { tags: ["x"] }));
    await second.leads.importBatch(await make.importBatch(storage, job, rows));
    const [known] = await first.orm.execute<{ leads: number }>(
      sql`SELECT reltuples AS leads FROM pg_class WHERE relname = 'leads'`,
    );
    expect(known).toEqual({ leads: 5_000 });
  });
});

test("of two merges of the same leads at once, one merges them and the other finds one gone", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, make }) => {
    const leads = createLeadStore(first);
    for (let round = 0; round < 10; round++) {
      const [a, b] = [
        leadOf(await leads.insert(make.leadInsert(workspaceId))),
        leadOf(await leads.insert(make.leadInsert(workspaceId))),
      ];
      const outcomes = await Promise.all([
        leads.merge(make.leadMerge(a, b)),
        second.leads.merge(make.leadMerge(b, a)),
        second.leads.update(make.leadUpdate(a, { title: "Changed" })),
      ]);
      const merges = outcomes.slice(0, 2).map(({ kind }) => kind);
      expect(merges.filter((kind) => kind === "merged").length).toBeLessThanOrEqual(1);
      const left = await leads.getAll(workspaceId, [a.id, b.id]);
      expect(left).toHaveLength(merges.includes("merged") ? 1 : 2);
    }
  });
});

test("a bulk change and single changes of the same leads at once lose nothing", async () => {
  await withTwoNodes(async ({ first, second, workspaceId, make }) => {
    const leads = createLeadStore(first);
    const made = await leads.insertAll(Array.from({ length: 40 }, () => make.leadInsert(workspaceId)));
    const stored = made.map(leadOf);
    const job = make.job(workspaceId, {
      ...{ type: "lead_bulk", status: "running", attempt: 1, leaseUntil: 9e12, metadata: { total: 40 } },
    });
    await insertJob(first.orm, job);
    const request = { workspaceId, filter: {}, createdUntil: 9e12, afterLead: 0, limit: 100 };
    const change = { kind: "update", patch: { addTags: ["bulk"] }, assignees: [] } as const;
    const bulk = async () => {
      for (;;) {
        const found = await leads.matching(request);
        const outcome = await leads.bulkBatch({
          ...{ workspaceId, jobId: job.id, attempt: 1, leads: found, change, skipsStale: false, actorId: null },
          ...{ leaseUntil: 9e12, at: 5 },
        });
        if (outcome !== "stale") return outcome;
      }
    };
    const titled = stored.map((lead, n) => second.leads.update(make.leadUpdate(lead, { title: `Title ${n}` })));
    const [counts, ...outcomes] = await Promise.all([bulk(), ...titled]);
    expect(counts).toMatchObject({ processed: 40, changed: 40 });
    const now = new Map(
      (
        await leads.getAll(
          workspaceId,
          stored.map(({ id }) => id),
        )
      ).map((lead) => [lead.id, lead]),
    );
    for (const [n, { id }] of stored.entries()) {
      expect(now.get(id)?.tags).toEqual(["bulk"]);
      // Either the change came first, or it was refused because the lead has another version.
      const isChanged = outcomes[n]!.kind === "changed";
      expect(now.get(id)?.title === `Title ${n}`).toBe(isChanged);
    }
  });
});
