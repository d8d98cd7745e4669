import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventStreams } from "../../src/platform/events/streams.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { FakeClock } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

/** What a client may have waiting, and one event more. */
const mostBytes = 64 * 1024 + 1000;
/** Several times what fits there. */
const manyLeads = 800;

test("a client that never reads holds its buffer and no more, delays nobody, and is let go after a minute", async () => {
  await using world = await createWorld();
  const [stalled, lively] = [await world.open(), await world.open()];
  const reading = world.read(lively, manyLeads);
  await world.addLeads(manyLeads);
  expect(await reading).toHaveLength(manyLeads);
  expect(world.streams.size).toBe(2);
  world.clock.advance(75_000);
  expect(world.streams.size).toBe(1);
  const left = await new Response(stalled).text();
  expect(left.length).toBeLessThan(mostBytes);
  expect(left).toContain("event: end");
  expect(left).toContain("not read anything for a minute");
  // It can come back and misses nothing.
  const seen = idsIn(left);
  const rest = await world.read(await world.open(seen.at(-1)), manyLeads - seen.length);
  expect([...seen, ...rest]).toEqual(Array.from({ length: manyLeads }, (_, n) => seen[0]! + n));
});

test("a client that reads slowly gets everything in order, from the database, and then takes part again", async () => {
  await using world = await createWorld();
  const slow = await world.open();
  await world.addLeads(manyLeads);
  const seen = await world.read(slow, manyLeads);
  expect(seen).toEqual(Array.from({ length: manyLeads }, (_, n) => seen[0]! + n));
  const next = world.read(slow, 3);
  await world.addLeads(3);
  expect(await next).toHaveLength(3);
});

test("a client that keeps up hears a sign of life every fifteen seconds and is never let go", async () => {
  await using world = await createWorld();
  const reader = (await world.open()).getReader();
  const text = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await text()).toStartWith("retry:");
  for (let n = 0; n < 8; n++) {
    world.clock.advance(15_000);
    expect(await text()).toBe(":\n\n");
  }
  expect(world.streams.size).toBe(1);
});

async function createWorld() {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-streams-"));
  const clock = new FakeClock();
  const storage = openSqliteStorage(join(directory, "outreachd.db"), clock);
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const streams = new EventStreams({
    events: storage.events,
    isValid: async () => true,
    onKeysChanged: () => () => {},
    limits: { all: 10, perKey: 10 },
    clock,
    log: createLog("silent"),
  });
  await streams.start();
  const caller: Caller = {
    keyId: "key",
    keyName: "key",
    workspaceId: user.id,
    userId: user.id,
    memberRole: "owner",
    role: "member",
    permissions: ["events:read"],
    requiresApproval: false,
    expiresAt: null,
    isLocal: false,
    keyHash: null,
  };
  return {
    clock,
    streams,
    open: async (after: number | null = null) =>
      (await streams.open({ caller, scopes: [user.id], filter: { types: ["lead.created"] } }, after)).body,
    async addLeads(count: number): Promise<void> {
      await Promise.all(Array.from({ length: count }, () => make.storedLead(storage, user.id)));
      clock.advance(50);
    },
    /** The ids of the next events. It goes on reading afterwards where it was. */
    async read(body: ReadableStream<Uint8Array>, count: number): Promise<number[]> {
      const reader = body.getReader();
      const ids: number[] = [];
      while (ids.length < count) ids.push(...idsIn(new TextDecoder().decode((await reader.read()).value)));
      reader.releaseLock();
      return ids;
    },
    async [Symbol.asyncDispose]() {
      await streams.stop();
      await storage.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function idsIn(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}
