import { describe, expect, test } from "bun:test";
import type { Conversation, ConversationChange, ConversationFilter } from "../../src/features/inbox/model.ts";
import { searchWords } from "../../src/features/inbox/words.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import type { IncomingMessage, News } from "../../src/features/network/contact-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, claimAction, claimOf, createFactories } from "../support/factories.ts";
import { day, hour, minute, storedAccount, withClaimed, withScheduled } from "../support/network-actions.ts";

const ada = "https://network.example/in/ada";
const grace = "https://network.example/in/grace";
const at = startOfTests + hour;

function reply(profileKey: string, messages: readonly IncomingMessage[], more: Partial<News> = {}): News {
  return { profileKey, kind: "replied", at: messages.at(-1)?.at ?? at, messages, ...more };
}

const said = (id: string, text: string, sentAt = at): IncomingMessage => ({ id, at: sentAt, text });

describe.each(enginesAndPostgres)("the inbox on $name", ({ open }) => {
  async function listed(
    storage: Storage,
    { workspaceId }: NetworkAccount,
    filter: ConversationFilter = {},
  ): Promise<Conversation[]> {
    return storage.inbox.conversations({ workspaceId, filter, limit: 50, after: null, now: at });
  }

  async function thread(storage: Storage, { workspaceId, id }: NetworkAccount, profileKey = ada) {
    const found = await storage.inbox.messages(workspaceId, conversationId(id, profileKey), 50, null);
    return found.map(({ state, text }) => `${state}: ${text}`);
  }

  async function withMessage(storage: Storage, action: Partial<NetworkAction> = {}) {
    return withClaimed(storage, {}, { actionType: "sendMessage", message: "Hi Ada", profileUrl: ada, ...action });
  }

  async function withAccount(storage: Storage) {
    const make = createFactories(Math.floor(Math.random() * 1e9));
    const { account } = await storedAccount(storage, make);
    const change = (profileKey: string, wanted: ConversationChange, time = at) =>
      storage.inbox.change({
        workspaceId: account.workspaceId,
        id: conversationId(account.id, profileKey),
        change: wanted,
        suppressions: [],
        at: time,
        actorId: null,
      });
    return { make, account, change };
  }

  const eventsOf = async (storage: Storage, { workspaceId }: NetworkAccount) =>
    storage.events.page({
      scopes: [workspaceId],
      filter: {},
      ...{ after: null, before: null, newestFirst: false, limit: 50 },
    });

  describe("outgoing messages", () => {
    test("are in their conversation from the moment they are scheduled, with their state", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(
        opened.storage,
        {},
        { actionType: "sendMessage", message: "Hi Ada", profileUrl: ada },
      );
      expect(await thread(storage, account)).toEqual(["queued: Hi Ada"]);
      expect(await listed(storage, account)).toMatchObject([
        { profileUrl: ada, lastState: "queued", lastText: "Hi Ada", lastAt: startOfTests, unread: 0, receivedAt: null },
      ]);
      const due = await claimAction(storage, startOfTests);
      expect(due.job.id).toBe(job.id);
      expect(await thread(storage, account)).toEqual(["queued: Hi Ada"]);
      await storage.network.endAction(claimOf(due.job), actionEnd({ at: startOfTests + minute }));
      expect(await thread(storage, account)).toEqual(["sent: Hi Ada"]);
      expect(await listed(storage, account)).toMatchObject([{ lastState: "sent", lastAt: startOfTests }]);
    });

    test("that were spoken have a length, once it is known", async () => {
      await using opened = await open();
      const { storage, account, job } = await withMessage(opened.storage, { actionType: "sendVoiceMessage" });
      const only = async () => {
        const id = conversationId(account.id, ada);
        return (await storage.inbox.messages(account.workspaceId, id, 5, null))[0];
      };
      expect(await only()).toMatchObject({ kind: "voiceMessage", state: "queued", seconds: null });
      await storage.network.endAction(claimOf(job), actionEnd({ metadata: { audioSeconds: 12.5 }, at }));
      expect(await only()).toMatchObject({ kind: "voiceMessage", state: "sent", seconds: 12.5 });
    });

    test("that were not sent say so", async () => {
      await using opened = await open();
      for (const state of ["failed", "skipped", "unknown"] as const) {
        const { storage, account, job } = await withMessage(opened.storage);
        await storage.network.endAction(claimOf(job), actionEnd({ state, message: "The reason", at }));
        const id = conversationId(account.id, ada);
        const [message] = await storage.inbox.messages(account.workspaceId, id, 5, null);
        expect(message).toMatchObject({ state: state === "unknown" ? state : "failed", status: "The reason" });
      }
    });

    test("are edited, canceled, and scheduled again with their action", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(
        opened.storage,
        {},
        { actionType: "sendConnectionRequest", message: "Hi", profileUrl: ada },
      );
      const { workspaceId } = account;
      await storage.network.edit(workspaceId, job.id, { message: "Hello" }, at);
      expect(await thread(storage, account)).toEqual(["queued: Hello"]);
      expect(await listed(storage, account)).toMatchObject([{ lastText: "Hello" }]);
      await storage.network.cancel(workspaceId, job.id, at);
      expect(await listed(storage, account)).toEqual([]);
      await storage.jobs.retry(workspaceId, job.id, at);
      expect(await thread(storage, account)).toEqual(["queued: Hello"]);
      await storage.network.edit(workspaceId, job.id, { message: null }, at);
      expect(await listed(storage, account)).toEqual([]);
    });

    test("without a text are no messages", async () => {
      await using opened = await open();
      const { storage, account, make } = await withScheduled(opened.storage, {}, { profileUrl: ada });
      await make.scheduledJob(storage, account, { action: { actionType: "visitProfile", profileUrl: ada } });
      expect(await listed(storage, account)).toEqual([]);
    });

    test("that were performed elsewhere count from when they were", async () => {
      await using opened = await open();
      const { make, account } = await withAccount(opened.storage);
      const { storage } = opened;
      const slotAt = startOfTests - day;
      const action = {
        actionType: "sendMessage",
        message: "By hand",
        profileUrl: ada,
        state: "completed",
        slotAt,
      } as const;
      await storage.network.record(make.actionRequest(account, { action }), null);
      expect(await listed(storage, account)).toMatchObject([
        { lastState: "sent", lastAt: slotAt, lastText: "By hand" },
      ]);
    });
  });

  describe("incoming messages", () => {
    test("are stored once, in the order of their times, however late and often they are reported", async () => {
      await using opened = await open();
      const { storage, account, job } = await withMessage(opened.storage);
      await storage.network.endAction(claimOf(job), actionEnd({ at: startOfTests }));
      const news = reply(ada, [said("m2", "Sure", at + minute)]);
      const late = reply(ada, [said("m1", "Hello", at), said("m2", "Sure", at + minute)]);
      expect(await storage.network.noteNews(account.id, [news], at)).toEqual({ news: [news], newMessages: 1 });
      await storage.network.noteNews(account.id, [late, late], at);
      await storage.network.noteNews(account.id, [news], at);
      expect(await thread(storage, account)).toEqual(["received: Sure", "received: Hello", "sent: Hi Ada"]);
      expect(await listed(storage, account)).toMatchObject([
        { unread: 2, lastText: "Sure", lastAt: at + minute, receivedAt: at + minute },
      ]);
      const received = (await eventsOf(storage, account)).filter(({ type }) => type === "message.received");
      expect(received.map(({ data }) => data["text"])).toEqual(["Sure", "Hello"]);
      expect(received[0]).toMatchObject({
        accountId: account.id,
        data: { profileUrl: ada, sentAt: new Date(at + minute).toISOString() },
      });
    });

    test("of people whom nobody has contacted are stored, too, but are no reply", async () => {
      await using opened = await open();
      const { account } = await withAccount(opened.storage);
      const { storage } = opened;
      const news = reply(ada, [said("m1", "Do you have a minute?")], { personName: "Ada Lovelace" });
      expect(await storage.network.noteNews(account.id, [news], at)).toEqual({ news: [], newMessages: 1 });
      expect(await listed(storage, account)).toMatchObject([
        { profileUrl: ada, personName: "Ada Lovelace", unread: 1, lastState: "received" },
      ]);
      expect((await eventsOf(storage, account)).map(({ type }) => type)).toContain("message.received");
    });

    test("without an ID are recognized by time and text; without a text, only that they exist is stored", async () => {
      await using opened = await open();
      const { account } = await withAccount(opened.storage);
      const { storage } = opened;
      const news: News = { profileKey: ada, kind: "replied", at, text: "Yes" };
      for (const each of [news, news, { ...news, text: "No" }]) await storage.network.noteNews(account.id, [each], at);
      await storage.network.noteNews(account.id, [{ profileKey: grace, kind: "replied", at }], at);
      expect((await thread(storage, account)).toSorted()).toEqual(["received: No", "received: Yes"]);
      expect(await thread(storage, account, grace)).toEqual(["received: null"]);
    });

    test("are of their account only", async () => {
      await using opened = await open();
      const { storage } = opened;
      const [one, other] = [await withAccount(storage), await withAccount(storage)];
      for (const { account } of [one, other])
        await storage.network.noteNews(account.id, [reply(ada, [said("m1", `To ${account.id}`)])], at);
      expect(await thread(storage, one.account)).toEqual([`received: To ${one.account.id}`]);
      expect(await listed(storage, other.account)).toHaveLength(1);
      const id = conversationId(one.account.id, ada);
      expect(await storage.inbox.conversation(other.account.workspaceId, id)).toBeNull();
      expect(await storage.inbox.messages(other.account.workspaceId, id, 5, null)).toEqual([]);
      expect(await other.change(grace, { label: "later" })).toEqual({ kind: "absent" });
    });
  });

  describe("what is unread", () => {
    test("ends up to what was read; what came meanwhile stays unread", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, change } = await withAccount(storage);
      const unread = async () => (await listed(storage, account))[0]?.unread;
      await storage.network.noteNews(account.id, [reply(ada, [said("m1", "One"), said("m2", "Two")])], at);
      const [, first] = await storage.inbox.messages(account.workspaceId, conversationId(account.id, ada), 5, null);
      expect(await unread()).toBe(2);
      await change(ada, { read: { readTo: first!.id } });
      expect(await unread()).toBe(1);
      await change(ada, { read: { readTo: null } });
      expect(await unread()).toBe(0);
      // A second tab is behind.
      await change(ada, { read: { readTo: first!.id } });
      expect(await unread()).toBe(0);
      await change(ada, { read: "unread" });
      expect(await unread()).toBe(1);
      await storage.network.noteNews(account.id, [reply(ada, [said("m0", "Late", at - day)])], at);
      expect(await unread()).toBe(2);
    });

    test("is counted for the workspace and for a member", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, change } = await withAccount(storage);
      const { workspaceId } = account;
      const [member] = await storage.workspaces.members(workspaceId);
      const { userId } = member!.member;
      for (const person of [ada, grace])
        await storage.network.noteNews(account.id, [reply(person, [said("m1", "One"), said("m2", "Two")])], at);
      expect(await storage.inbox.unread(workspaceId, userId, at)).toEqual({ total: 2, mine: 0, unassigned: 2 });
      await change(ada, { assignedTo: userId });
      expect(await storage.inbox.unread(workspaceId, userId, at)).toEqual({ total: 2, mine: 1, unassigned: 1 });
      await change(grace, { snoozedUntil: at + 5 });
      expect(await storage.inbox.unread(workspaceId, userId, at + 4)).toEqual({ total: 1, mine: 1, unassigned: 0 });
      expect(await storage.inbox.unread(workspaceId, userId, at + 5)).toEqual({ total: 2, mine: 1, unassigned: 1 });
      await change(grace, { snoozedUntil: null });
      await change(ada, { read: { readTo: null } });
      expect(await storage.inbox.unread(workspaceId, userId, at)).toEqual({ total: 1, mine: 0, unassigned: 1 });
      expect(await storage.inbox.unread("nobody", null, at)).toEqual({ total: 0, mine: 0, unassigned: 0 });
    });
  });

  describe("a change", () => {
    test("emits one event that names what changed, and none if nothing did", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, change } = await withAccount(storage);
      await storage.network.noteNews(account.id, [reply(ada, [said("m1", "One")])], at);
      const outcome = await change(ada, { label: "interested", read: { readTo: null } });
      expect(outcome).toMatchObject({ kind: "changed", conversation: { label: "interested", unread: 0 } });
      await change(ada, { label: "interested", read: { readTo: null } });
      const updates = (await eventsOf(storage, account)).filter(({ type }) => type === "conversation.updated");
      expect(updates).toHaveLength(1);
      expect(updates[0]!.data).toMatchObject({ fields: ["label", "unread"], label: "interested" });
    });

    test("adds to the do-not-contact list together with the label", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, make } = await withAccount(storage);
      const { workspaceId } = account;
      await storage.network.noteNews(account.id, [reply(ada, [said("m1", "Stop")])], at);
      const entry = make.suppression(workspaceId, "profile", ada);
      const id = conversationId(account.id, ada);
      const request = {
        workspaceId,
        change: { label: "doNotContact" },
        suppressions: [entry],
        at,
        actorId: null,
      } as const;
      expect(await storage.inbox.change({ ...request, id: "unknown" })).toEqual({ kind: "absent" });
      expect(await storage.suppressions.matches(workspaceId, { profileKey: ada })).toEqual([]);
      expect(await storage.inbox.change({ ...request, id })).toMatchObject({ conversation: { label: "doNotContact" } });
      expect(await storage.suppressions.matches(workspaceId, { profileKey: ada })).toHaveLength(1);
    });

    test("assigns to active members only", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, change } = await withAccount(storage);
      await storage.network.noteNews(account.id, [reply(ada, [said("m1", "One")])], at);
      expect(await change(ada, { assignedTo: "a-stranger" })).toEqual({ kind: "notAMember" });
      expect((await listed(storage, account))[0]).toMatchObject({ assignedTo: null });
    });
  });

  describe("the list", () => {
    async function withPeople(storage: Storage) {
      const { account, change } = await withAccount(storage);
      const people = ["ada", "grace", "alan"].map((name) => `https://network.example/in/${name}`);
      for (const [n, person] of people.entries())
        await storage.network.noteNews(account.id, [reply(person, [said("m1", "Hi", at + n * minute)])], at);
      const names = async (filter: ConversationFilter) =>
        (await listed(storage, account, filter)).map(({ profileKey }) => profileKey.split("/").at(-1));
      return { account, change, names };
    }

    test("has the latest message first, in pages", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, names } = await withPeople(storage);
      expect(await names({})).toEqual(["alan", "grace", "ada"]);
      const { workspaceId } = account;
      const page = { workspaceId, filter: {}, limit: 2, now: at };
      const first = await storage.inbox.conversations({ ...page, after: null });
      const second = await storage.inbox.conversations({ ...page, after: first[1]! });
      expect([...first, ...second].map(({ profileKey }) => profileKey.split("/").at(-1))).toEqual([
        "alan",
        "grace",
        "ada",
      ]);
      expect(await storage.inbox.countConversations(page)).toBe(3);
    });

    test("is filtered", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, change, names } = await withPeople(storage);
      const [member] = await storage.workspaces.members(account.workspaceId);
      const { userId } = member!.member;
      await change(ada, { read: { readTo: null }, label: "interested" });
      await change(grace, { assignedTo: userId, snoozedUntil: at + hour });
      expect(await names({ unread: true })).toEqual(["alan", "grace"]);
      expect(await names({ unread: false })).toEqual(["ada"]);
      expect(await names({ label: "interested" })).toEqual(["ada"]);
      expect(await names({ assignedTo: userId })).toEqual(["grace"]);
      expect(await names({ assignedTo: null })).toEqual(["alan", "ada"]);
      expect(await names({ isSnoozed: true })).toEqual(["grace"]);
      expect(await names({ isSnoozed: false })).toEqual(["alan", "ada"]);
      expect(await names({ accountId: account.id, hasReply: true, profileKey: ada })).toEqual(["ada"]);
      expect(await names({ accountId: "another" })).toEqual([]);
      expect(await names({ hasReply: false })).toEqual([]);
    });

    test("shows a snoozed conversation again when its time has come, or the person writes", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, change, names } = await withPeople(storage);
      await change(ada, { snoozedUntil: at });
      await change(grace, { snoozedUntil: at + hour });
      expect(await names({ isSnoozed: false })).toEqual(["alan", "ada"]);
      await storage.network.noteNews(account.id, [reply(grace, [said("m2", "Still there?", at + hour)])], at);
      expect(await names({ isSnoozed: false })).toEqual(["grace", "alan", "ada"]);
    });

    test("stays snoozed if a message is reported late that is older than the newest one", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { account, change, names } = await withPeople(storage);
      await change(grace, { snoozedUntil: at + hour });
      await storage.network.noteNews(
        account.id,
        [reply(grace, [said("m2", "Hello from last week", at - 7 * 24 * hour)])],
        at,
      );
      expect(await names({ isSnoozed: true })).toEqual(["grace"]);
      expect(await names({ unread: true })).toContain("grace");
    });
  });

  describe("the search", () => {
    async function withTexts(storage: Storage) {
      const { account } = await withAccount(storage);
      await storage.network.noteNews(
        account.id,
        [
          reply(ada, [said("m1", "Könnten wir am Dienstag telefonieren?"), said("m2", "Oder: ada@example.com")]),
          reply(grace, [said("m1", "No, thank you. Не сейчас")], { personName: "Grace Hopper" }),
        ],
        at,
      );
      const found = async (text: string, of = account) =>
        (await listed(storage, of, { words: searchWords(text) })).map(({ profileKey }) => profileKey.split("/").at(-1));
      return { account, found };
    }

    test("finds words by their beginning, in any case, with or without accents, all in one message", async () => {
      await using opened = await open();
      const { found } = await withTexts(opened.storage);
      for (const text of ["dienst", "KONNTEN", "könn", "ada@example.com", "example", "dienstag, telefon"])
        expect({ text, found: await found(text) }).toEqual({ text, found: ["ada"] });
      for (const text of ["thank", "hopper", "gra", "сейчас", "no thank"])
        expect({ text, found: await found(text) }).toEqual({ text, found: ["grace"] });
      for (const text of ["ienstag", "dienstag thank", '"; DROP', "AND dienst"])
        expect({ text, found: await found(text) }).toEqual({ text, found: [] });
      expect(await found("")).toHaveLength(2);
    });

    test("stays in its workspace, and finds what was sent, as it is now", async () => {
      await using opened = await open();
      const { storage } = opened;
      const { found } = await withTexts(storage);
      const { account, job } = await withMessage(storage);
      expect(await found("dienst", account)).toEqual([]);
      expect(await found("hi", account)).toEqual([]);
      await storage.network.endAction(claimOf(job), actionEnd({ at }));
      expect(await found("hi", account)).toEqual(["ada"]);
      expect(await storage.inbox.deleteTexts(at + day, 100)).toBe(4);
      expect(await found("hi", account)).toEqual([]);
      expect(await found("dienst")).toEqual([]);
      expect(await found("hopper")).toEqual(["grace"]);
      expect(await thread(storage, account)).toEqual(["sent: null"]);
      expect(await listed(storage, account)).toMatchObject([{ lastText: null }]);
      expect(await storage.inbox.deleteTexts(at + day, 100)).toBe(0);
    });
  });

  test("snippets have one name each, and belong to their workspace", async () => {
    await using opened = await open();
    const { inbox } = opened.storage;
    const [one, other] = [await withAccount(opened.storage), await withAccount(opened.storage)];
    const { workspaceId } = one.account;
    const snippet = (id: string, name: string, owner = workspaceId) => {
      return { id, workspaceId: owner, name, text: `Text of ${name}`, createdAt: at, updatedAt: at };
    };
    expect(await inbox.addSnippet(snippet("s1", "Meeting"))).toMatchObject({ kind: "stored" });
    expect(await inbox.addSnippet(snippet("s2", "Meeting"))).toEqual({ kind: "nameTaken" });
    expect(await inbox.addSnippet(snippet("s3", "Meeting", other.account.workspaceId))).toMatchObject({
      kind: "stored",
    });
    await inbox.addSnippet(snippet("s4", "Bye"));
    expect((await inbox.snippets(workspaceId, 5, null)).map(({ name }) => name)).toEqual(["Bye", "Meeting"]);
    expect((await inbox.snippets(workspaceId, 5, "Bye")).map(({ name }) => name)).toEqual(["Meeting"]);
    expect(await inbox.countSnippets(workspaceId)).toBe(2);
    expect(await inbox.updateSnippet(workspaceId, "s4", { name: "Meeting", updatedAt: at })).toEqual({
      kind: "nameTaken",
    });
    expect(await inbox.updateSnippet(workspaceId, "s3", { text: "x", updatedAt: at })).toEqual({ kind: "absent" });
    expect(await inbox.updateSnippet(workspaceId, "s4", { text: "x", updatedAt: at })).toMatchObject({
      snippet: { name: "Bye", text: "x" },
    });
    expect(await inbox.removeSnippet(workspaceId, "s3")).toBe(false);
    expect(await inbox.removeSnippet(workspaceId, "s4")).toBe(true);
    expect(await inbox.snippet(workspaceId, "s4")).toBeNull();
  });
});
