import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { News, ReportedMessage } from "../../src/features/network/contact-model.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, claimAction, claimOf, createFactories } from "../support/factories.ts";
import { day, hour, minute, storedAccount, withClaimed, withScheduled } from "../support/network-actions.ts";
import { pick, seeded } from "../support/random.ts";

const ada = "https://network.example/in/ada";
const at = startOfTests + day;

const theirs = (id: string, text: string | null, sentAt = at): ReportedMessage => ({ id, at: sentAt, text });
const ours = (id: string, text: string, sentAt = at): ReportedMessage => ({
  ...theirs(id, text, sentAt),
  isOutgoing: true,
});
const report = (messages: readonly ReportedMessage[], profileKey = ada): News => {
  return { profileKey, kind: "replied", at, messages };
};

async function thread(storage: Storage, { workspaceId, id }: NetworkAccount, profileKey = ada) {
  const found = await storage.inbox.messages(workspaceId, conversationId(id, profileKey), 50, null);
  return found.toReversed().map(({ state, text }) => `${state}: ${text}`);
}

async function listed(storage: Storage, { workspaceId }: NetworkAccount) {
  return storage.inbox.conversations({ workspaceId, filter: {}, limit: 50, after: null, now: at + day });
}

const eventsOf = async (storage: Storage, { workspaceId }: NetworkAccount) =>
  storage.events.page({
    ...{ scopes: [workspaceId], filter: {}, after: null, before: null, newestFirst: false, limit: 100 },
  });

describe.each(enginesAndPostgres)("reported messages on $name", ({ open }) => {
  test.each([1, 2, 3])(
    "are stored once and in order, however often, late, and out of order they are reported (%d)",
    async (seed) => {
      await using opened = await open();
      const { storage } = opened;
      const { account } = await storedAccount(storage, createFactories(seed));
      const random = seeded(seed);
      const written = Array.from({ length: 30 }, (_, n) => {
        const [id, text] = [`m${n}`, `Text ${n}`];
        return random() < 0.6 ? theirs(id, text, at + n * minute) : ours(id, text, at + n * minute);
      });
      const reports = Array.from({ length: 60 }, (_, n) =>
        // Each message at least once.
        [pick(written, random), written[(n * 7) % 30]!, pick(written, random)],
      );
      let stored = 0;
      for (let n = 0; n < reports.length; n += 2) {
        const both = reports.slice(n, n + 2).map((each) => storage.network.noteNews(account.id, [report(each)], at));
        for (const { newMessages } of await Promise.all(both)) stored += newMessages;
      }
      expect(stored).toBe(30);
      expect(await thread(storage, account)).toEqual(
        written.map(({ isOutgoing, text }) => `${isOutgoing ? "sent" : "received"}: ${text}`),
      );
      const incoming = written.filter(({ isOutgoing }) => !isOutgoing);
      expect(await listed(storage, account)).toMatchObject([
        { unread: incoming.length, lastText: "Text 29", receivedAt: incoming.at(-1)!.at, lastAt: at + 29 * minute },
      ]);
      const events = await eventsOf(storage, account);
      const ofType = (wanted: string) => events.filter(({ type }) => type === wanted).length;
      expect([ofType("message.received"), ofType("conversation.updated")]).toEqual([
        ...[incoming.length, 30 - incoming.length],
      ]);
    },
    60_000,
  );

  test("are a reply if the person wrote one of them since the last reply", async () => {
    await using opened = await open();
    const { storage, account, job } = await withClaimed(
      opened.storage,
      {},
      { actionType: "sendMessage", message: "Hi Ada", profileUrl: ada },
    );
    await storage.network.endAction(claimOf(job), actionEnd({ at: startOfTests }));
    const note = async (...messages: ReportedMessage[]) =>
      (await storage.network.noteNews(account.id, [report(messages)], at)).news.length;
    const contact = async () => (await storage.network.contact(account.workspaceId, account.id, ada))!;
    // What the account wrote itself is no reply.
    expect(await note(ours("m1", "One more thing", at))).toBe(0);
    expect((await contact()).repliedAt).toBeNull();
    expect(await note(theirs("m2", "Yes?", at + hour), ours("m1", "One more thing", at))).toBe(1);
    expect(await note(ours("m1", "One more thing", at), theirs("m2", "Yes?", at + hour))).toBe(0);
    // Older than the reply that is known: part of the conversation, but no other reply.
    expect(await note(theirs("m0", "Hello", at - minute))).toBe(0);
    // The whole conversation, with one new message.
    expect(await note(theirs("m3", "Well?", at + 2 * hour), theirs("m2", "Yes?", at + hour))).toBe(1);
    expect((await contact()).repliedAt).toBe(at + 2 * hour);
    const replies = (await eventsOf(storage, account)).filter(({ type }) => type === "message.replied");
    expect(replies.map(({ data }) => data["text"])).toEqual(["Yes?", "Well?"]);
    expect(await thread(storage, account)).toEqual([
      ...["sent: Hi Ada", "received: Hello", "sent: One more thing", "received: Yes?", "received: Well?"],
    ]);
  });

  test("that an action sent, or is about to send, are not stored again", async () => {
    await using opened = await open();
    const action = { actionType: "sendMessage", message: "Hi Ada ", profileUrl: ada } as const;
    const { storage, account } = await withScheduled(opened.storage, {}, action);
    const note = async (...messages: ReportedMessage[]) =>
      (await storage.network.noteNews(account.id, [report(messages)], at)).newMessages;
    // The worker reports the message before the outcome of the action.
    expect(await note(ours("m1", "Hi Ada", startOfTests + minute))).toBe(0);
    const due = await claimAction(storage, startOfTests);
    await storage.network.endAction(claimOf(due.job), actionEnd({ at: startOfTests + minute }));
    expect(await note(ours("m1", "Hi Ada", startOfTests + minute))).toBe(0);
    expect(await thread(storage, account)).toEqual(["sent: Hi Ada "]);
    // The same text later, another text, and the same text of the person are messages of their own.
    expect(await note(ours("m2", "Hi Ada", startOfTests + 3 * day))).toBe(1);
    expect(await note(ours("m3", "Hi Ada!", startOfTests + minute))).toBe(1);
    expect(await note(theirs("m4", "Hi Ada", startOfTests + minute))).toBe(1);
    // Two messages with one text that no action sent.
    expect(await note(ours("m5", "Thanks", at), ours("m6", "Thanks", at))).toBe(2);
    // Its text is too old to be retained.
    await storage.inbox.deleteTexts(startOfTests + hour, 10);
    expect(await note(ours("m1", "Hi Ada", startOfTests + minute))).toBe(0);
  });

  test("are stored when an action with the same text failed: then somebody wrote it by hand", async () => {
    await using opened = await open();
    const action = { actionType: "sendMessage", message: "Hi Ada", profileUrl: ada } as const;
    const { storage, account } = await withScheduled(opened.storage, {}, action);
    const due = await claimAction(storage, startOfTests);
    await storage.network.endAction(claimOf(due.job), actionEnd({ at: startOfTests + minute, state: "failed" }));
    const news = report([ours("m1", "Hi Ada", startOfTests + hour)]);
    expect(await storage.network.noteNews(account.id, [news], at)).toMatchObject({ newMessages: 1 });
    expect(await thread(storage, account)).toEqual(["failed: Hi Ada", "sent: Hi Ada"]);
  });

  test("without text are the voice messages that an action sent around that time, or else written by hand", async () => {
    await using opened = await open();
    const action = { actionType: "sendVoiceMessage" as const, profileUrl: ada, message: "Hello Ada" };
    const { storage, account, job } = await withClaimed(opened.storage, {}, action);
    await storage.network.endAction(claimOf(job), actionEnd({ at }));
    const picture = { ...theirs("picture", null, at + 2 * hour), isOutgoing: true as const };
    const voice = { ...theirs("voice", null, at + minute), isOutgoing: true as const };
    const { newMessages } = await storage.network.noteNews(account.id, [report([picture, voice])], at + day);
    expect(newMessages).toBe(1);
    expect(await thread(storage, account)).toEqual(["sent: Hello Ada", "sent: null"]);
  });

  test("are recognized as the note of a request, which the network shows once it is accepted", async () => {
    await using opened = await open();
    const action = { actionType: "sendConnectionRequest" as const, profileUrl: ada, message: "Hello Ada" };
    const { storage, account, job } = await withClaimed(opened.storage, {}, action);
    await storage.network.endAction(claimOf(job), actionEnd({ at }));
    const shown = report([ours("note", "Hello Ada", at + 9 * day), ours("m1", "Thank you!", at + 9 * day + 1)]);
    expect(await storage.network.noteNews(account.id, [shown], at + 10 * day)).toMatchObject({ newMessages: 1 });
    expect(await thread(storage, account)).toEqual(["sent: Hello Ada", "sent: Thank you!"]);
  });

  test("from before the account first wrote to the person are no reply, however often they are reported", async () => {
    await using opened = await open();
    const { storage, account } = await withScheduled(
      opened.storage,
      {},
      { actionType: "sendMessage", profileUrl: ada },
    );
    const hello = report([theirs("m1", "Hello", startOfTests - day)]);
    await storage.network.noteNews(account.id, [hello], startOfTests);
    const { job } = await claimAction(storage, startOfTests);
    await storage.network.endAction(claimOf(job), actionEnd({ at: startOfTests }));
    expect(await storage.network.noteNews(account.id, [hello], at)).toEqual({ news: [], newMessages: 0 });
    const both = report([theirs("m1", "Hello", startOfTests - day), theirs("m2", "Yes!", at)]);
    expect(await storage.network.noteNews(account.id, [both], at)).toMatchObject({ news: [both], newMessages: 1 });
  });

  test("without a time count once within ten minutes, and again later", async () => {
    await using opened = await open();
    const { storage, account, job } = await withClaimed(
      opened.storage,
      {},
      { actionType: "sendMessage", message: "Hi Ada", profileUrl: ada },
    );
    await storage.network.endAction(claimOf(job), actionEnd({ at: startOfTests }));
    const replied = async (after: number, text?: string, more: Partial<News> = {}) => {
      const news = { profileKey: ada, kind: "replied" as const, at: at + after, isUndated: true as const, ...more };
      const said = { ...news, ...(text !== undefined && { text }) };
      const noted = await storage.network.noteNews(account.id, [said], at + after);
      return [noted.news.length, noted.newMessages];
    };
    expect(await replied(0, "ok")).toEqual([1, 1]);
    expect(await replied(1, "ok")).toEqual([0, 0]);
    expect(await replied(10 * minute, "ok")).toEqual([0, 0]);
    // Another text, no text, and another person are not the same.
    expect(await replied(2, "OK!")).toEqual([1, 1]);
    expect(await replied(3)).toEqual([1, 1]);
    expect(await replied(4)).toEqual([0, 0]);
    expect(await replied(5, "ok", { profileKey: `${ada}-2` })).toEqual([0, 1]);
    expect(await replied(11 * minute, "ok")).toEqual([1, 1]);
    expect(await replied(2 * day, "ok")).toEqual([1, 1]);
    const replies = (await eventsOf(storage, account)).filter(({ type }) => type === "message.replied");
    expect(replies).toHaveLength(5);
  });

  test("are stored together with the time up to which they were read", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { account } = await storedAccount(storage, createFactories());
    expect(await storage.network.messagesReadTo(account.id)).toBeNull();
    await storage.network.noteNews(account.id, [report([theirs("m1", "Hello")])], at, at + 1);
    await storage.network.noteNews(account.id, [report([theirs("m2", "Hello?")])], at);
    expect(await storage.network.messagesReadTo(account.id)).toBe(at + 1);
    await storage.network.updateAccount(account.workspaceId, account.id, { name: "Renamed", updatedAt: at });
    expect(await storage.network.messagesReadTo(account.id)).toBe(at + 1);
    expect(await storage.network.account(account.workspaceId, account.id)).not.toHaveProperty("messagesReadTo");
  });

  test("start a conversation with an unknown person, whoever wrote first", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { account } = await storedAccount(storage, createFactories(1));
    const news: News = { ...report([ours("m1", "Hello"), theirs("m2", null, at + 1)]), personName: "Ada Lovelace" };
    expect(await storage.network.noteNews(account.id, [news], at)).toEqual({ news: [], newMessages: 2 });
    expect(await thread(storage, account)).toEqual(["sent: Hello", "received: null"]);
    expect(await listed(storage, account)).toMatchObject([{ personName: "Ada Lovelace", unread: 1 }]);
  });
});
