/* oxlint-disable unicorn/no-thenable -- the vendor names what follows an action so; it is data, never a function */
import { describe, expect, test } from "bun:test";
import type { ActionOrder, ConnectorOutcome } from "../../src/features/network/connector.ts";
import type { WatchedPerson } from "../../src/features/network/contact-model.ts";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { createLinkedapiConnector } from "../../src/adapters/providers/network/linkedapi.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { accountOf, orderOf } from "../support/orders.ts";
import { startLinkedapi, type LinkedapiVendor } from "../support/vendors/linkedapi.ts";

const never = new AbortController().signal;
const personUrl = "https://www.linkedin.com/in/ada";
const minuteMs = 60_000;

async function startWorld(token?: string) {
  const vendor = await startLinkedapi();
  const clock = new FakeClock();
  const http = createHttpClient({ clock, allowPrivate: ["127.0.0.1"] });
  const settings = { url: vendor.url, token: token ?? vendor.token, identifications: vendor.identifications };
  const connector = createLinkedapiConnector(settings, http, clock);
  const account = accountOf({ connector: "linkedapi", connectorSettings: { identification: "ada" } });
  const carryOut = async (order: ActionOrder) => await connector.carryOut(order, account, never);
  const follow = async (handed: ConnectorOutcome, order: ActionOrder): Promise<ConnectorOutcome> => {
    if (handed.kind !== "delegated" || connector.follow === undefined)
      throw new Error(`Expected handed, got ${handed.kind}`);
    return await connector.follow(handed.reference ?? "", order, account, never);
  };
  return {
    vendor,
    clock,
    connector,
    carryOut,
    follow,
    watch: async (watched: WatchedPerson[]) => (await connector.watch?.(watched, account, never)) ?? [],
    read: async (watched: WatchedPerson[], since: number | null = null) =>
      (await connector.readMessages?.({ since, watched }, account, never)) ?? null,
    /** Hands an order over and asks at once what became of it. */
    async endOf(overrides: Partial<ActionOrder>) {
      const order = orderOf(overrides);
      return await follow(await carryOut(order), order);
    },
    [Symbol.asyncDispose]: async () => await vendor[Symbol.asyncDispose](),
  };
}

test.each<[Partial<ActionOrder>, object]>([
  [{ message: "Hello" }, { actionType: "st.sendConnectionRequest", personUrl, note: "Hello" }],
  [{}, { actionType: "st.sendConnectionRequest", personUrl }],
  [
    { actionType: "withdrawConnectionRequest" },
    { actionType: "st.withdrawConnectionRequest", personUrl, unfollow: true },
  ],
  [
    { actionType: "sendMessage", message: "Hello" },
    { actionType: "st.sendMessage", personUrl, text: "Hello" },
  ],
  [
    { actionType: "sendInMail", message: "Hello", details: { subject: "Question" } },
    { actionType: "nv.sendMessage", personUrl, text: "Hello", subject: "Question" },
  ],
  [{ actionType: "visitProfile" }, { actionType: "st.openPersonPage", personUrl, basicInfo: true }],
  [{ actionType: "checkConnectionStatus" }, { actionType: "st.checkConnectionStatus", personUrl }],
  [
    { actionType: "likePost", details: { reaction: "love", postUrl: "https://www.linkedin.com/posts/x" } },
    { actionType: "st.reactToPost", type: "love", postUrl: "https://www.linkedin.com/posts/x" },
  ],
  [
    { actionType: "commentPost", message: "Yes", details: { postUrl: "https://www.linkedin.com/posts/x" } },
    { actionType: "st.commentOnPost", text: "Yes", postUrl: "https://www.linkedin.com/posts/x" },
  ],
])("the order %j becomes the workflow %j", async (order, workflow) => {
  await using world = await startWorld();
  const handed = await world.carryOut(orderOf(order));
  const checkAt = startOfTests + 5000;
  expect(handed).toEqual({ kind: "delegated", to: "vendor", reference: `wf-1@${startOfTests}`, checkAt });
  expect(world.vendor.workflows).toMatchObject([{ identification: "identification-of-ada", workflow }]);
  expect(world.vendor.workflows[0]?.workflow).toEqual(workflow as { actionType: string });
});

test("without the address of a post, the way leads from the person to their latest", async () => {
  await using world = await startWorld();
  expect(await world.endOf({ actionType: "likePost" })).toEqual({ kind: "completed", reference: "wf-1" });
  const chain: string[] = [];
  for (let step = world.vendor.workflows[0]?.workflow; step !== undefined; step = step.then)
    chain.push(step.actionType);
  expect(chain).toEqual([
    "st.openPersonPage",
    "st.retrievePersonPosts",
    "st.doForPosts",
    "st.openPost",
    "st.reactToPost",
  ]);
});

test("a person without posts has none to react to", async () => {
  await using world = await startWorld();
  const completion = {
    actionType: "st.openPersonPage",
    success: true,
    data: { then: { actionType: "st.retrievePersonPosts", success: true, data: [] } },
  };
  world.vendor.endNext({ workflowStatus: "completed", completion });
  expect(await world.endOf({ actionType: "likePost" })).toMatchObject({ kind: "refused", refusal: "postNotFound" });
});

test.each([
  [{ actionType: "sendMessage", message: "x".repeat(1901) } as const, "1900"],
  [{ actionType: "sendInMail", message: "x", details: { subject: "x".repeat(81) } } as const, "80"],
])("what is longer than the vendor takes is refused before anything is sent", async (order, limit) => {
  await using world = await startWorld();
  const outcome = await world.carryOut(orderOf(order));
  expect(outcome).toMatchObject({ kind: "refused", refusal: "invalid", reason: expect.stringContaining(limit) });
  expect(world.vendor.requests).toEqual([]);
});

describe("what became of it", () => {
  test.each([
    ["connected", "connected"],
    ["pending", "pending"],
    ["notConnected", "none"],
  ] as const)("a look that finds %s tells the relation %s", async (connectionStatus, relation) => {
    await using world = await startWorld();
    world.vendor.findNext({ connectionStatus });
    const outcome = await world.endOf({ actionType: "checkConnectionStatus" });
    expect(outcome).toEqual({ kind: "completed", reference: "wf-1", relation });
  });

  test.each<[string, object]>([
    ["alreadyPending", { kind: "refused", refusal: "alreadyPending", relation: "pending" }],
    ["alreadyConnected", { kind: "refused", refusal: "alreadyConnected", relation: "connected" }],
    ["personNotFound", { kind: "refused", refusal: "personNotFound" }],
    ["selfProfileNotAllowed", { kind: "refused", refusal: "ownProfile" }],
    ["noteTooLong", { kind: "refused", refusal: "noteTooLong" }],
    ["noteLimitExceeded", { kind: "refused", refusal: "noteLimitReached" }],
    ["requestNotAllowed", { kind: "refused", refusal: "requestNotAllowed" }],
    ["emailRequired", { kind: "refused", refusal: "emailRequired" }],
    ["messagingNotAllowed", { kind: "refused", refusal: "messagingNotAllowed" }],
    ["notPending", { kind: "refused", refusal: "notPending" }],
    ["postNotFound", { kind: "refused", refusal: "postNotFound" }],
    ["commentingNotAllowed", { kind: "refused", refusal: "commentingNotAllowed" }],
    ["noSalesNavigator", { kind: "refused", refusal: "notSupported" }],
    ["dailyConnectionAttemptsExceeded", { kind: "limited" }],
    ["weeklyMessageAttemptsExceeded", { kind: "limited" }],
    ["somethingNew", { kind: "refused", refusal: "invalid", reason: "Linked API rejected it: It did not work." }],
  ])("an action that failed as %s is %j", async (type, outcome) => {
    await using world = await startWorld();
    world.vendor.failNext({ type, message: "It did not work." });
    expect(await world.endOf({})).toMatchObject(outcome);
  });

  test.each<[string, object]>([
    ["linkedinAccountSignedOut", { kind: "signedOut" }],
    ["tooManyRequests", { kind: "limited" }],
    ["workflowTimeout", { kind: "unknown" }],
    ["languageNotSupported", { kind: "refused", refusal: "notSupported" }],
    ["browserCrashed", { kind: "unknown" }],
  ])("work that failed as %s is %j", async (reason, outcome) => {
    await using world = await startWorld();
    world.vendor.endNext({ workflowStatus: "failed", failure: { reason, message: "It broke." } });
    expect(await world.endOf({})).toMatchObject(outcome);
  });

  test.each([
    { workflowStatus: "completed" },
    { workflowStatus: "completed", completion: null },
    { workflowStatus: "completed", completion: { actionType: "st.somethingElse", success: true } },
    { workflowStatus: "canceled" },
  ])("%j leaves it unknown", async (state) => {
    await using world = await startWorld();
    world.vendor.endNext(state);
    expect(await world.endOf({})).toMatchObject({ kind: "unknown" });
  });

  test("while it is pending it is asked again, less and less often, and given up after a day", async () => {
    await using world = await startWorld();
    const pending = { workflowStatus: "pending", pendingReason: "outsideWorkingHours", message: "Starts at 9:00" };
    world.vendor.endNext(pending);
    const order = orderOf();
    let outcome = await world.carryOut(order);
    const pauses: number[] = [];
    for (let asked = 0; asked < 1000 && outcome.kind === "delegated"; asked++) {
      const pause = (outcome.checkAt ?? 0) - world.clock.now();
      pauses.push(pause);
      world.clock.advance(pause);
      outcome = await world.follow(outcome, order);
    }
    expect(outcome.kind).toBe("unknown");
    expect(world.clock.now() - startOfTests).toBeGreaterThan(86_400_000);
    expect(pauses[0]).toBe(5000);
    expect(Math.max(...pauses)).toBe(10 * minuteMs);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.length).toBeLessThan(200);
  });

  test.each(["html", "wrongJson", "missingFields", "huge", "failing", "broken"] as const)(
    "a question that ends in %s is asked again, and the order is not repeated",
    async (disorder) => {
      await using world = await startWorld();
      const order = orderOf();
      const handed = await world.carryOut(order);
      world.vendor.breakWith(disorder);
      expect(await world.follow(handed, order)).toMatchObject({ kind: "delegated", reference: `wf-1@${startOfTests}` });
      world.vendor.breakWith(null);
      expect(await world.follow(handed, order)).toMatchObject({ kind: "completed" });
      expect(world.vendor.workflows).toHaveLength(1);
    },
  );

  test("a question that is refused says nothing of the work", async () => {
    await using world = await startWorld();
    const order = orderOf();
    const handed = await world.carryOut(order);
    world.vendor.refuseNext(429, { type: "tooManyRequests", message: "Slow down." });
    expect(await world.follow(handed, order)).toMatchObject({ kind: "delegated" });
    world.vendor.refuseNext(401, { type: "linkedinAccountSignedOut", message: "Signed out." });
    expect(await world.follow(handed, order)).toMatchObject({ kind: "delegated" });
  });

  test("work that the vendor knows nothing of is unknown", async () => {
    await using world = await startWorld();
    const lost = { kind: "delegated", to: "vendor", reference: `wf-99@${startOfTests}`, checkAt: null } as const;
    expect(await world.follow(lost, orderOf())).toMatchObject({ kind: "unknown" });
  });
});

describe("an order that the vendor does not take", () => {
  test.each<[number, string, object]>([
    [401, "invalidLinkedApiToken", { kind: "signedOut" }],
    [402, "subscriptionRequired", { kind: "signedOut" }],
    [400, "linkedinAccountSignedOut", { kind: "signedOut" }],
    [400, "invalidWorkflow", { kind: "refused", refusal: "invalid" }],
    [403, "plusPlanRequired", { kind: "refused", refusal: "notSupported" }],
    [429, "tooManyRequests", { kind: "limited", retryAt: startOfTests + 30_000 }],
    [400, "somethingNew", { kind: "refused", refusal: "invalid" }],
    [500, "internalError", { kind: "unknown" }],
  ])("%i %s is %j", async (status, type, outcome) => {
    await using world = await startWorld();
    world.vendor.refuseNext(status, { type, message: "No." }, { "retry-after": "30" });
    expect(await world.carryOut(orderOf())).toMatchObject(outcome);
    expect(world.vendor.workflows).toEqual([]);
  });

  test("because of a wrong token holds the account, and the reason tells no token", async () => {
    await using world = await startWorld("wrong-token-1");
    expect(await world.carryOut(orderOf())).toEqual({
      kind: "signedOut",
      reason: "Linked API has no access to the account: Token is invalid.",
    });
  });
});

test.each([
  [{ identification: "nobody" }, "has no token"],
  [{ identification: "constructor" }, "has no token"],
  [{}, "requires connectorSettings.identification"],
])("the settings %j are a problem", async (connectorSettings, problem) => {
  await using world = await startWorld();
  expect(world.connector.problem?.({ connectorSettings })).toContain(problem);
});

describe("news", () => {
  const watchedOf = (name: string, waitsFor: WatchedPerson["waitsFor"]): WatchedPerson => ({
    profileUrl: `https://www.linkedin.com/in/${name}`,
    profileKey: `https://linkedin.com/in/${name}`,
    waitsFor,
    since: startOfTests,
  });
  const both = [watchedOf("ada", "acceptance"), watchedOf("bob", "acceptance")];
  const typesOf = ({ workflows }: LinkedapiVendor) => workflows.map(({ workflow }) => workflow.actionType);

  test("of acceptances come with the look after the one that asked for the connections", async () => {
    await using world = await startWorld();
    world.vendor.findNext([{ name: "Ada", publicUrl: "https://www.linkedin.com/in/Ada/" }]);
    expect(await world.watch(both)).toEqual([]);
    expect(world.vendor.workflows[0]?.workflow).toEqual({ actionType: "st.retrieveConnections", since: "2026-01-05" });
    world.clock.advance(minuteMs);
    const accepted = { profileKey: "https://linkedin.com/in/ada", kind: "accepted", at: startOfTests } as const;
    expect(await world.watch(both)).toEqual([accepted]);
    // Others take turns, and learn from the same look.
    world.vendor.findNext([]);
    expect(await world.watch([watchedOf("bob", "acceptance")])).toEqual([]);
    expect(await world.watch([watchedOf("ada", "acceptance")])).toEqual([accepted]);
    const later = { ...watchedOf("ada", "acceptance"), since: startOfTests + 1 };
    expect(await world.watch([later])).toEqual([]);
    expect(world.vendor.requests).toHaveLength(2);
  });

  test("of replies are asked for of everyone in the call, in which not too many are", async () => {
    await using world = await startWorld();
    const limit = world.connector.watchLimits?.reply ?? 0;
    expect(limit).toBe(50);
    const watched = Array.from({ length: limit }, (_, n) => watchedOf(`person-${n}`, "reply"));
    for (const { profileUrl } of watched) world.vendor.synced.add(profileUrl);
    const last = { sender: "them" as const, time: new Date(startOfTests + 1000).toISOString(), text: "Hi!" };
    world.vendor.conversations.set(watched.at(-1)!.profileUrl, [last]);
    expect((await world.read(watched))?.news).toMatchObject([{ profileKey: watched.at(-1)!.profileKey, text: "Hi!" }]);
  });

  test.each(["in order", "failing"])(
    "of acceptances are asked for once an hour at most by a vendor that is %s",
    async (how) => {
      await using world = await startWorld();
      if (how === "failing") world.vendor.breakWith("failing");
      for (let minute = 0; minute < 61; minute++) {
        await world.watch(both);
        world.clock.advance(minuteMs);
      }
      expect(world.vendor.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
    },
  );

  test("of acceptances go on after a look that never ends", async () => {
    await using world = await startWorld();
    world.vendor.endNext({ workflowStatus: "running" });
    await world.watch(both);
    await world.watch(both);
    expect(world.vendor.workflows).toHaveLength(1);
    world.clock.advance(24 * 60 * minuteMs);
    await world.watch(both);
    expect(world.vendor.workflows).toHaveLength(2);
  });

  test("of replies come once the vendor follows the conversations, which it is asked to", async () => {
    await using world = await startWorld();
    const time = (ms: number): string => new Date(startOfTests + ms).toISOString();
    world.vendor.synced.add("https://www.linkedin.com/in/ada");
    world.vendor.conversations.set("https://www.linkedin.com/in/ada", [
      { sender: "us", time: time(1000) },
      { sender: "them", time: time(3000), text: "Call me." },
      { sender: "them", time: time(2000), text: "Hi!" },
    ]);
    world.vendor.conversations.set("https://www.linkedin.com/in/bob", [{ sender: "them", time: time(4000) }]);
    const watched = [watchedOf("ada", "reply"), watchedOf("bob", "reply"), watchedOf("cem", "reply")];
    const ada = {
      profileKey: "https://linkedin.com/in/ada",
      kind: "replied",
      at: startOfTests + 2000,
      text: "Hi!\n\nCall me.",
      messages: [
        { id: null, at: startOfTests + 2000, text: "Hi!" },
        { id: null, at: startOfTests + 3000, text: "Call me." },
      ],
    } as const;
    const bob = {
      profileKey: "https://linkedin.com/in/bob",
      kind: "replied",
      at: startOfTests + 4000,
      messages: [{ id: null, at: startOfTests + 4000, text: null }],
    } as const;
    world.vendor.endNext({ workflowStatus: "running" });
    expect((await world.read(watched))?.news).toEqual([ada]);
    expect(typesOf(world.vendor)).toEqual(["st.syncInbox", "st.syncConversation"]);
    expect((await world.read(watched, startOfTests))?.news).toEqual([ada, bob]);
    expect(world.vendor.workflows).toHaveLength(2);
  });

  const minute = (n: number) => new Date(startOfTests + n * minuteMs).toISOString();
  const inThread = (threadId: string, name: string, at: string, text: string, sender: "us" | "them" = "them") => ({
    ...{ id: `${threadId}-${at}`, type: "st" as const, threadId, personUrl: `https://www.linkedin.com/in/${name}` },
    ...{ sender, text, time: at },
  });

  test("of strangers and of what the account wrote come with one request once the vendor monitors the inbox", async () => {
    await using world = await startWorld();
    const first = await world.read([watchedOf("ada", "reply")]);
    expect(first).toEqual({ news: [], readTo: startOfTests });
    expect(typesOf(world.vendor)).toEqual(["st.syncInbox", "st.syncConversation"]);
    // The conversations once more: what was written before is not in the inbox.
    await world.read([watchedOf("ada", "reply")], startOfTests);

    world.vendor.inbox = [
      inThread("t3", "bob", minute(5), "Hi all"),
      inThread("t3", "cem", minute(4), "Hello"),
      inThread("t2", "dora", minute(3), "Written by hand", "us"),
      inThread("t1", "ada", minute(2), "Call me."),
      inThread("t1", "ada", minute(1), "Hi!"),
      { ...inThread("t4", "eve", minute(6), "From Sales Navigator"), type: "nv" as const },
    ];
    const before = world.vendor.requests.length;
    const read = await world.read([watchedOf("ada", "reply")], first?.readTo);
    expect(read).toEqual({
      news: [
        {
          ...{ profileKey: "https://linkedin.com/in/dora", kind: "replied", at: Date.parse(minute(3)) },
          messages: [{ id: null, at: Date.parse(minute(3)), text: "Written by hand", isOutgoing: true }],
        },
        {
          ...{ profileKey: "https://linkedin.com/in/ada", kind: "replied", at: Date.parse(minute(1)) },
          messages: [
            { id: null, at: Date.parse(minute(2)), text: "Call me." },
            { id: null, at: Date.parse(minute(1)), text: "Hi!" },
          ],
        },
      ],
      readTo: Date.parse(minute(5)),
    });
    expect(world.vendor.requests.slice(before).map(({ path }) => path)).toEqual(["/inbox/poll"]);
  });

  test("of replies still come from a vendor that does not monitor inboxes, which is asked to every six hours", async () => {
    await using world = await startWorld();
    const watched = [watchedOf("ada", "reply")];
    world.vendor.synced.add("https://www.linkedin.com/in/ada");
    world.vendor.conversations.set("https://www.linkedin.com/in/ada", [
      { sender: "them", time: minute(1), text: "Hi!" },
    ]);
    for (let check = 0; check < 37; check++) {
      if (check % 2 === 0) world.vendor.inbox = null;
      expect((await world.read(watched, check === 0 ? null : startOfTests))?.news).toMatchObject([{ text: "Hi!" }]);
      world.vendor.inbox = null;
      world.clock.advance(10 * minuteMs);
    }
    expect(typesOf(world.vendor)).toEqual(["st.syncInbox", "st.syncInbox"]);
  });

  test.each(["failing", "html", "missingFields"] as const)("are none while the vendor is %s", async (disorder) => {
    await using world = await startWorld();
    world.vendor.breakWith(disorder);
    expect(await world.watch(both)).toEqual([]);
    world.clock.advance(minuteMs);
    const read = (await world.read([watchedOf("ada", "reply")], startOfTests)) ?? { news: [], readTo: startOfTests };
    expect(read).toEqual({ news: [], readTo: startOfTests });
  });
});
