import { describe, expect, test } from "bun:test";
import { openEngine } from "../../src/adapters/storage/postgres/engine.ts";
import { appendAllNumbered, numberEvents } from "../../src/adapters/storage/postgres/event-numbers.ts";
import { appendEvents, insertionOf } from "../../src/adapters/storage/postgres/event-rows.ts";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { NewEvent } from "../../src/platform/events/model.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { claimJobs, claimOf, createFactories } from "../support/factories.ts";
import { createTestDatabase } from "../support/postgres.ts";

const minute = 60_000;
const now = startOfTests;

describe("events", () => {
  test("of transactions that commit crosswise are all seen by a stream that resumes", async () => {
    await using nodes = await openNodes();
    const { first, second, engine, workspaceId } = nodes;
    const event = (leadId: string): NewEvent => ({ type: "lead.created", workspaceId, at: now, leadId });
    const isInserted = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const slow = engine.transact(async (connection) => {
      await appendEvents(connection, [event("inserted first")]);
      isInserted.resolve();
      await commit.promise;
    });
    await isInserted.promise;
    await engine.transact((connection) => appendEvents(connection, [event("committed first")]));
    const seen = await first.events.since(0, 10);
    expect(seen.map(({ leadId }) => leadId)).toEqual(["committed first"]);
    commit.resolve();
    await slow;
    const rest = await second.events.since(seen[0]!.id, 10);
    expect(rest.map(({ leadId }) => leadId)).toEqual(["inserted first"]);
    expect(rest[0]!.id).toBe(seen[0]!.id + 1);
  });

  test("of many writers are seen once and in one order by streams of two nodes that read meanwhile", async () => {
    await using nodes = await openNodes();
    const { first, second, engine, workspaceId } = nodes;
    let isWriting = true;
    const follow = async ({ events }: Storage): Promise<string[]> => {
      const found: string[] = [];
      for (let after = 0, isLast = false; !isLast;) {
        isLast = !isWriting;
        const page = await events.since(after, 7);
        found.push(...page.map(({ leadId }) => leadId!));
        if (page.length > 0) isLast = false;
        after = page.at(-1)?.id ?? after;
      }
      return found;
    };
    const streams = [first, second].map(follow);
    const write = async (writer: number) => {
      for (let n = 0; n < 15; n++)
        await engine.transact((connection) =>
          appendEvents(connection, [
            { type: "lead.created", workspaceId, at: now, leadId: `${writer} ${n} a` },
            { type: "lead.created", workspaceId, at: now, leadId: `${writer} ${n} b` },
          ]),
        );
    };
    await Promise.all([0, 1, 2, 3].map(write));
    isWriting = false;
    const [ours, theirs] = await Promise.all(streams);
    expect(new Set(ours).size).toBe(120);
    expect(ours).toHaveLength(120);
    expect(theirs).toEqual(ours);
    expect(await first.events.last()).toBe(120);
  });

  test("that are numbered at once follow all that are committed, and others wait for them", async () => {
    await using nodes = await openNodes();
    const { first, engine, other, workspaceId } = nodes;
    const event = (leadId: string): NewEvent => ({ type: "lead.created", workspaceId, at: now, leadId });
    const isInserted = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    await engine.transact((connection) => appendEvents(connection, [event("a"), event("b")]));
    const owner = (await engine.ownerOf(workspaceId))!;
    const numbered = engine.transact(async (connection) => {
      await appendAllNumbered(connection, insertionOf([event("c"), event("d")], new Map([[workspaceId, owner]])));
      isInserted.resolve();
      await commit.promise;
    });
    await isInserted.promise;
    await other.transact((connection) => appendEvents(connection, [event("e")]));
    const seen = first.events.since(0, 10);
    commit.resolve();
    await numbered;
    const found = await seen;
    expect(found.map(({ id, leadId }) => `${id} ${leadId}`)).toEqual(["1 a", "2 b", "3 c", "4 d", "5 e"]);
  });

  test("are numbered once when two nodes do it at the same time", async () => {
    await using nodes = await openNodes();
    const { engine, other, first, workspaceId } = nodes;
    for (let n = 0; n < 20; n++)
      await engine.transact((connection) =>
        appendEvents(connection, [{ type: "lead.created", workspaceId, at: now, leadId: `${n}` }]),
      );
    const numbered = await Promise.all([engine, other, engine, other].map(numberEvents));
    expect(numbered.reduce((sum, n) => sum + n, 0)).toBe(20);
    expect((await first.events.since(0, 100)).map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  test("of another node are announced by the next poll, once", async () => {
    await using nodes = await openNodes();
    const { first, second, workspaceId, make } = nodes;
    await first.cluster.pulse();
    let announced = 0;
    const stop = first.events.onNew(() => void announced++);
    await make.storedLead(second, workspaceId);
    expect(announced).toBe(0);
    await first.cluster.pulse();
    await first.cluster.pulse();
    stop();
    expect(announced).toBe(1);
  });
});

describe("the lead", () => {
  test("goes to one of the nodes that want it, stays while it is extended, and passes on when it has expired", async () => {
    await using nodes = await openNodes();
    const [one, other] = [nodes.first.cluster, nodes.second.cluster];
    const taken = await Promise.all([one, other].map((store, n) => store.lead(`${n}`, now, now + minute)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const [holder, follower] = taken[0] === true ? ["0", "1"] : ["1", "0"];
    expect(await other.leader(now)).toBe(holder);
    expect(await one.lead(holder, now + minute - 1, now + 2 * minute)).toBe(true);
    expect(await one.lead(follower, now + 2 * minute - 1, now + 9 * minute)).toBe(false);
    expect(await one.leader(now + 2 * minute)).toBeNull();
    expect(await other.lead(follower, now + 2 * minute, now + 3 * minute)).toBe(true);
    expect(await one.lead(holder, now + 2 * minute, now + 9 * minute)).toBe(false);
  });

  test("is passed on immediately by a node that resigns, and by no other", async () => {
    await using nodes = await openNodes();
    const [one, other] = [nodes.first.cluster, nodes.second.cluster];
    expect(await one.lead("a", now, now + minute)).toBe(true);
    await other.resign("b");
    expect(await other.lead("b", now, now + minute)).toBe(false);
    await one.resign("a");
    expect(await other.lead("b", now, now + minute)).toBe(true);
  });
});

describe("jobs", () => {
  test("are claimed by one node each, and by both together completely", async () => {
    await using nodes = await openNodes();
    const { first, second, workspaceId, make } = nodes;
    const stranger = (await make.storedUser(first)).user.id;
    for (let n = 0; n < 40; n++) await make.storedJob(first, n % 2 === 0 ? workspaceId : stranger);
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, n) => claimJobs(n % 2 === 0 ? first : second, now, { limit: 4 })),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claimJobs(second, now, { limit: 40 });
    expect(new Set([...ids, ...rest.map(({ id }) => id)]).size).toBe(40);
  });

  test("whose lease has ended are taken over by one node, and the late end of the first is refused", async () => {
    await using nodes = await openNodes();
    const { first, second, workspaceId, make } = nodes;
    await make.storedJob(first, workspaceId);
    const [lost] = await claimJobs(first, now);
    const taken = await Promise.all([first, second].map((node) => claimJobs(node, now + minute)));
    expect(taken.flat()).toHaveLength(1);
    const end = { kind: "completed", message: "Done", metadata: {}, at: now + minute } as const;
    expect(await first.jobs.end(claimOf(lost!), end)).toBe(false);
    expect(await first.jobs.renew([claimOf(lost!)], now + 9 * minute)).toEqual([lost!.id]);
    const ends = await Promise.all([first, second].map(({ jobs }) => jobs.end(claimOf(taken.flat()[0]!), end)));
    expect(ends.toSorted((one, other) => Number(one) - Number(other))).toEqual([false, true]);
  });
});

async function openNodes() {
  const database = await createTestDatabase();
  const clock = new FakeClock();
  const stores = [
    await openPostgresStorage(database.url, clock),
    await openPostgresStorage(database.url, clock),
  ] as const;
  const [engine, other] = [openEngine(database.url, { poolSize: 4 }), openEngine(database.url, { poolSize: 4 })];
  const [first, second] = stores;
  const make = createFactories();
  const { user } = await make.storedUser(first);
  return {
    first,
    second,
    polled: stores[0].events,
    engine,
    other,
    make,
    workspaceId: user.id,
    /** Resolves once some connection waits for a lock that another one holds. */
    async untilWaiting(): Promise<void> {
      const isWaiting = async () =>
        (
          await engine.orm.execute(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          )
        ).length > 0;
      while (!(await isWaiting())) await Bun.sleep(5);
    },
    async [Symbol.asyncDispose]() {
      for (const each of [...stores, engine, other]) await each.close();
      await database.release();
    },
  };
}
