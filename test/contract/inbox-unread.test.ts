import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { StoredMessage } from "../../src/features/inbox/store.ts";
import type { ReportedMessage } from "../../src/features/network/contact-model.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { minute, storedAccount } from "../support/network-actions.ts";
import { pick, seeded } from "../support/random.ts";

const people = ["ada", "grace", "alan"].map((name) => `https://network.example/in/${name}`);

describe.each(enginesAndPostgres)("unread messages on $name", ({ open }) => {
  test.each([1, 2, 3])(
    "are counted exactly after random histories (%d)",
    async (seed) => {
      await using opened = await open();
      const world = await createWorld(opened.storage, seed);
      for (let round = 0; round < 15; round++) {
        for (let step = 0; step < 8; step++) await world.randomStep();
        await world.expectExact();
      }
      expect(world.mostUnread()).toBeGreaterThan(3);
    },
    120_000,
  );

  test("are counted exactly after messages and readers at the same time", async () => {
    await using opened = await open();
    const world = await createWorld(opened.storage, 7);
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 6 }, () => world.write()));
      await Promise.all([world.write(), world.readAll(), world.write(), world.readAll()]);
      await world.expectStored();
    }
  });
});

/** Knows in the order of their arrival what the people wrote, and what was read of it. */
async function createWorld(storage: Storage, seed: number) {
  const make = createFactories(seed);
  const { account } = await storedAccount(storage, make);
  const { workspaceId } = account;
  const [owner] = await storage.workspaces.members(workspaceId);
  const { userId } = owner!.member;
  const random = seeded(seed);
  const arrived = new Map(people.map((person) => [person, [] as { isUnread: boolean }[]]));
  const assigned = new Map<string, string | null>();
  const reported: { person: string; message: ReportedMessage }[] = [];
  let [written, now, most] = [0, startOfTests, 0];

  const note = (person: string, message: ReportedMessage) =>
    storage.network.noteNews(account.id, [{ profileKey: person, kind: "replied", at: now, messages: [message] }], now);
  const messagesOf = (person: string): Promise<StoredMessage[]> =>
    storage.inbox.messages(workspaceId, conversationId(account.id, person), 500, null);
  const change = (person: string, wanted: object) =>
    storage.inbox.change({
      ...{ workspaceId, id: conversationId(account.id, person), change: wanted },
      ...{ suppressions: [], at: now, actorId: userId },
    });

  async function write(person = pick(people, random)): Promise<void> {
    // Some are late.
    const message = { id: `m${written++}`, at: now - Math.floor(random() * 5) * minute, text: "Hello" };
    reported.push({ person, message });
    await note(person, message);
    arrived.get(person)!.push({ isUnread: true });
  }

  async function answerElsewhere(): Promise<void> {
    await note(pick(people, random), { id: `o${written++}`, at: now, text: "Hi", isOutgoing: true });
  }

  async function repeat(): Promise<void> {
    if (reported.length === 0) return;
    const { person, message } = pick(reported, random);
    await note(person, message);
  }

  async function readAll(person = pick(people, random)): Promise<void> {
    await change(person, { read: { readTo: null } });
    for (const message of arrived.get(person)!) message.isUnread = false;
  }

  /** A tab that has not seen the latest. */
  async function readSome(): Promise<void> {
    const person = pick(people, random);
    const found = (await messagesOf(person)).filter(({ state }) => state === "received");
    if (found.length === 0) return;
    const last = pick(found, random);
    await change(person, { read: { readTo: last.id } });
    const inOrder = found.toSorted((a, b) => a.seq - b.seq);
    for (const message of arrived.get(person)!.slice(0, inOrder.findIndex(({ seq }) => seq === last.seq) + 1))
      message.isUnread = false;
  }

  async function markUnread(): Promise<void> {
    const person = pick(people, random);
    await change(person, { read: "unread" });
    const messages = arrived.get(person)!;
    for (const message of messages) message.isUnread = false;
    const last = messages.at(-1);
    if (last !== undefined) last.isUnread = true;
  }

  async function assign(): Promise<void> {
    const person = pick(people, random);
    const assignedTo = random() < 0.5 ? userId : null;
    const outcome = await change(person, { assignedTo });
    if (outcome.kind === "changed") assigned.set(person, assignedTo);
  }

  const steps = [write, write, write, write, repeat, answerElsewhere, readAll, readSome, markUnread, assign];

  async function randomStep(): Promise<void> {
    now += Math.floor(random() * 3) * minute;
    await pick(steps, random)();
  }

  const unreadOf = (person: string) => arrived.get(person)!.filter(({ isUnread }) => isUnread).length;

  async function stored(): Promise<Map<string, number>> {
    const request = { workspaceId, filter: {}, limit: 50, after: null, now };
    return new Map((await storage.inbox.conversations(request)).map((each) => [each.profileUrl, each.unread]));
  }

  async function expectExact(): Promise<void> {
    const counts = await stored();
    for (const person of people) {
      expect({ person, unread: counts.get(person) ?? 0 }).toEqual({ person, unread: unreadOf(person) });
      most = Math.max(most, unreadOf(person));
    }
    const waiting = people.filter((person) => unreadOf(person) > 0);
    expect(await storage.inbox.unread(workspaceId, userId, now)).toEqual({
      total: waiting.length,
      mine: waiting.filter((person) => assigned.get(person) === userId).length,
      unassigned: waiting.filter((person) => (assigned.get(person) ?? null) === null).length,
    });
  }

  /** Whoever came first: what is stored agrees with itself, and reading everything leaves nothing. */
  async function expectStored(): Promise<void> {
    const counts = await stored();
    for (const person of people) {
      const received = (await messagesOf(person)).filter(({ state }) => state === "received").length;
      expect(received).toBe(arrived.get(person)!.length);
      expect(counts.get(person) ?? 0).toBeLessThanOrEqual(received);
      await readAll(person);
    }
    expect(await storage.inbox.unread(workspaceId, userId, now)).toMatchObject({ total: 0 });
    await write(people[0]);
    expect((await stored()).get(people[0]!)).toBe(1);
    await readAll(people[0]);
  }

  return { randomStep, write, readAll, expectExact, expectStored, mostUnread: () => most };
}
