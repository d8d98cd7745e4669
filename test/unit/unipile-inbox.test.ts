import { expect, test } from "bun:test";
import type { MessageCheck, MessagesRead, WatchedPerson } from "../../src/features/network/contact-model.ts";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { createUnipileConnector } from "../../src/adapters/providers/network/unipile.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { accountOf } from "../support/orders.ts";
import { idOf, startUnipile } from "../support/vendors/unipile.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
const key = (name: string) => `https://linkedin.com/in/${name.toLowerCase()}`;

/** An account at the vendor that has chats with people of these names. */
async function startWorld(...names: string[]) {
  const vendor = await startUnipile();
  for (const name of names) vendor.members.set(name, { name, relation: "connected" });
  const clock = new FakeClock();
  const http = createHttpClient({ clock, allowPrivate: ["127.0.0.1"] });
  const connector = createUnipileConnector({ url: vendor.url, apiKey: vendor.apiKey }, http, clock);
  const account = accountOf({ connector: "unipile", connectorSettings: { accountId: vendor.accountId } });
  let readTo: number | null = null;
  return {
    vendor,
    clock,
    /** Like the service: the next check continues where the last one that succeeded ended. */
    async check(overrides: Partial<MessageCheck> = {}): Promise<MessagesRead | null> {
      const check = { since: readTo, watched: [], ...overrides };
      const read = (await connector.readMessages?.(check, account, new AbortController().signal)) ?? null;
      if (read !== null) ({ readTo } = read);
      return read;
    },
    write(name: string, at: number, text: string | null, from: "them" | "us" = "them"): void {
      vendor.messages.push({
        id: `message-${at - startOfTests}`,
        chat_id: `chat-${idOf(name)}`,
        is_sender: from === "us" ? 1 : 0,
        sender_id: from === "us" ? "ACoAAme" : idOf(name),
        text,
        timestamp: new Date(at).toISOString(),
      });
    },
    paths: () => vendor.requests.map(({ path }) => path.split("?")[0]!.replace("/api/v1/", "")),
    [Symbol.asyncDispose]: async () => await vendor[Symbol.asyncDispose](),
  };
}

const watchedOf = (name: string, overrides: Partial<WatchedPerson> = {}): WatchedPerson => ({
  profileUrl: `https://www.linkedin.com/in/${name}`,
  profileKey: key(name),
  waitsFor: "reply",
  since: startOfTests,
  ...overrides,
});

test("one request finds what strangers and the account itself have written, once their chats are known", async () => {
  await using world = await startWorld("ada", "bob");
  await world.check();
  const at = startOfTests + minuteMs;
  world.write("ada", at, "Are you hiring?");
  world.write("bob", at + 1, "Written by hand", "us");
  world.write("ada", at + 2, "Yes, we are.", "us");
  const first = await world.check();
  expect(first?.news.toSorted((a, b) => a.at - b.at)).toEqual([
    {
      ...{ profileKey: key("ada"), kind: "replied", at, personName: "ada" },
      messages: [
        { id: `message-${minuteMs + 2}`, at: at + 2, text: "Yes, we are.", isOutgoing: true },
        { id: `message-${minuteMs}`, at, text: "Are you hiring?" },
      ],
    },
    {
      ...{ profileKey: key("bob"), kind: "replied", at: at + 1, personName: "bob" },
      messages: [{ id: `message-${minuteMs + 1}`, at: at + 1, text: "Written by hand", isOutgoing: true }],
    },
  ]);
  expect(first?.readTo).toBe(at + 2);

  const before = world.paths().length;
  world.write("ada", at + minuteMs, "When can I start?");
  // Listed late, and repeats what was read before: each is stored once.
  world.write("bob", at - 1, "Hello!");
  const second = await world.check();
  expect(second?.news.flatMap(({ messages }) => messages ?? []).map(({ text }) => text)).toEqual([
    ...["Hello!", "Written by hand", "When can I start?", "Yes, we are.", "Are you hiring?"],
  ]);
  expect(world.paths().slice(before)).toEqual(["messages"]);
});

test("people who may reply are found by the chat of the message, by the ID, and by the name", async () => {
  await using world = await startWorld("ada", "bob", "cem", "dora");
  world.write("cem", startOfTests + 500, "Hello", "us");
  for (const [n, name] of ["ada", "bob", "cem", "dora"].entries())
    world.write(name, startOfTests + 1000 * (n + 1), `Hi from ${name}`);
  const watched = [
    watchedOf("ada-as-lead", { reference: `chat-${idOf("ada")}/message-1` }),
    watchedOf(idOf("bob")),
    watchedOf("cem"),
    // She wrote before the message to her, which is no reply.
    watchedOf("dora", { since: startOfTests + 7000 }),
  ];
  const read = await world.check({ watched });
  const found = read?.news.map(({ profileKey, messages }) => [profileKey, messages?.map(({ text }) => text)]);
  expect(Object.fromEntries(found ?? [])).toEqual({
    [key("ada-as-lead")]: ["Hi from ada"],
    [key(idOf("bob"))]: ["Hi from bob"],
    [key("cem")]: ["Hi from cem", "Hello"],
  });
});

test("the first check finds older replies, but no older messages of strangers", async () => {
  await using world = await startWorld("ada", "bob", "cem");
  const [old, recent] = [startOfTests - 3 * dayMs, startOfTests - dayMs + minuteMs];
  world.write("ada", old, "A reply");
  world.write("bob", old, "History");
  world.write("cem", recent, "Hello");
  const reference = `chat-${idOf("ada")}/message-1`;
  const read = await world.check({ watched: [watchedOf("ada", { since: old - minuteMs, reference })] });
  expect(read?.news.map(({ profileKey }) => profileKey).toSorted()).toEqual([key("ada"), key("cem")]);
  expect(read?.readTo).toBe(recent);
});

test("group chats, advertisements, and events are ignored, and looked up once", async () => {
  await using world = await startWorld("ada", "bob", "cem");
  await world.check();
  world.vendor.chats.set(`chat-${idOf("ada")}`, { type: 1 });
  world.vendor.chats.set(`chat-${idOf("bob")}`, { content_type: "sponsored" });
  world.write("ada", startOfTests + 1, "Hello everyone");
  world.write("bob", startOfTests + 2, "Buy now");
  world.write("cem", startOfTests + 3, "Cem is now called Kem");
  world.vendor.messages.at(-1)!.is_event = 1;
  const watched = [watchedOf("ada")];
  expect(await world.check({ watched })).toEqual({ news: [], readTo: startOfTests + 2 });
  expect(await world.check({ watched })).toEqual({ news: [], readTo: startOfTests + 2 });
  const lookedUp = world.paths().filter((path) => path !== "messages");
  expect(lookedUp.toSorted()).toEqual([`chats/chat-${idOf("ada")}`, `chats/chat-${idOf("bob")}`]);
});

test("people shown by their ID are found by their public name, with a few profile reads a day", async () => {
  const names = Array.from(
    { length: 45 },
    (_, n) => `person-${String.fromCharCode(97 + (n % 26))}${n > 25 ? "z" : ""}`,
  );
  await using world = await startWorld(...names);
  await world.check();
  for (const [n, name] of names.entries()) {
    world.vendor.shownById.add(name);
    world.write(name, startOfTests + n + 1, "Hello");
  }
  const found = new Set<string>();
  const check = async () => {
    for (const { profileKey } of (await world.check())?.news ?? []) found.add(profileKey);
  };
  const profiles = () => world.paths().filter((path) => path.startsWith("users/")).length;
  await check();
  expect([found.size, profiles()]).toEqual([30, 30]);
  for (let checks = 0; checks < 6; checks++) await check();
  expect([found.size, profiles()]).toEqual([40, 40]);
  world.clock.advance(dayMs);
  await check();
  expect(found).toEqual(new Set(names.map(key)));
});

test("a check that fails is repeated from the same time on", async () => {
  await using world = await startWorld("ada");
  await world.check();
  world.write("ada", startOfTests + minuteMs, "Hello");
  world.vendor.breakWith("failing");
  expect(await world.check()).toBeNull();
  world.vendor.breakWith(null);
  world.clock.advance(3 * dayMs);
  expect((await world.check())?.news).toMatchObject([{ profileKey: key("ada") }]);
});
