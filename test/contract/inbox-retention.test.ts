import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { IncomingMessage } from "../../src/features/network/contact-model.ts";
import { conversationId } from "../../src/features/network/message-ids.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, claimOf, createFactories } from "../support/factories.ts";
import { day, hour, storedAccount, withClaimed } from "../support/network-actions.ts";

const ada = "https://network.example/in/ada";
const grace = "https://network.example/in/grace";
const at = startOfTests + 30 * day;

const note = (storage: Storage, { id }: NetworkAccount, profileKey: string, ...messages: IncomingMessage[]) =>
  storage.network.noteNews(id, [{ profileKey, kind: "replied", at: messages[0]!.at, messages }], at);

async function texts(storage: Storage, { workspaceId, id }: NetworkAccount, profileKey = ada) {
  const found = await storage.inbox.messages(workspaceId, conversationId(id, profileKey), 50, null);
  return found.toReversed().map(({ text }) => text);
}

const listed = async (storage: Storage, { workspaceId }: NetworkAccount, words: readonly string[] = []) => {
  const filter = words.length === 0 ? {} : { words };
  return storage.inbox.conversations({ workspaceId, filter, limit: 50, after: null, now: at });
};

async function withAccount(storage: Storage, seed = 1) {
  return (await storedAccount(storage, createFactories(seed))).account;
}

describe.each(enginesAndPostgres)("the retention of texts on $name", ({ open }) => {
  test("deletes those that were sent or received before a time, and keeps when that was", async () => {
    await using opened = await open();
    const { storage, account, job } = await withClaimed(
      opened.storage,
      {},
      { actionType: "sendMessage", message: "Hi Ada", profileUrl: ada },
    );
    await storage.network.endAction(claimOf(job), actionEnd({ at: startOfTests }));
    await note(storage, account, ada, { id: "m1", at: startOfTests + hour, text: "Old" });
    await note(storage, account, ada, { id: "m2", at: startOfTests + 2 * hour, text: "Recent" });
    const before = await storage.inbox.messages(account.workspaceId, conversationId(account.id, ada), 50, null);
    expect(await storage.inbox.deleteTexts(startOfTests + 2 * hour, 100)).toBe(2);
    expect(await texts(storage, account)).toEqual([null, null, "Recent"]);
    const after = await storage.inbox.messages(account.workspaceId, conversationId(account.id, ada), 50, null);
    const withoutText = (messages: typeof before) => messages.map(({ text: _text, ...message }) => message);
    expect(withoutText(after)).toEqual(withoutText(before));
    expect(await listed(storage, account)).toMatchObject([{ lastText: "Recent", unread: 2 }]);
    expect(await storage.inbox.deleteTexts(startOfTests + 2 * hour, 100)).toBe(0);
  });

  test("deletes the preview with its message, and what searches find", async () => {
    await using opened = await open();
    const { storage } = opened;
    const account = await withAccount(storage);
    await note(storage, account, ada, { id: "m1", at: startOfTests, text: "Secret plans" });
    await note(storage, account, grace, { id: "m1", at, text: "Secret recipes" });
    expect(await listed(storage, account, ["secret"])).toHaveLength(2);
    await storage.inbox.deleteTexts(startOfTests + day, 100);
    expect(await listed(storage, account)).toMatchObject([{ lastText: "Secret recipes" }, { lastText: null }]);
    expect((await listed(storage, account, ["secret"])).map(({ profileUrl }) => profileUrl)).toEqual([grace]);
  });

  test("works in batches, across workspaces", async () => {
    await using opened = await open();
    const { storage } = opened;
    const accounts = [await withAccount(storage, 1), await withAccount(storage, 2)];
    for (const account of accounts)
      for (const n of [1, 2, 3])
        await note(storage, account, ada, { id: `m${n}`, at: startOfTests + n, text: `Text ${n}` });
    expect(await storage.inbox.deleteTexts(startOfTests + day, 4)).toBe(4);
    expect(await storage.inbox.deleteTexts(startOfTests + day, 4)).toBe(2);
    for (const account of accounts) expect(await texts(storage, account)).toEqual([null, null, null]);
  });

  test("leaves what is still to be sent", async () => {
    await using opened = await open();
    const action = { actionType: "sendMessage", message: "Hi Ada", profileUrl: ada } as const;
    const { storage, account } = await withClaimed(opened.storage, {}, action);
    expect(await storage.inbox.deleteTexts(at, 100)).toBe(0);
    expect(await texts(storage, account)).toEqual(["Hi Ada"]);
    expect(await listed(storage, account)).toMatchObject([{ lastText: "Hi Ada", lastState: "queued" }]);
  });

  test("is final: a message whose text was deleted is not stored again", async () => {
    await using opened = await open();
    const { storage } = opened;
    const account = await withAccount(storage);
    const messages: IncomingMessage[] = [
      { id: "m1", at: startOfTests, text: "With an ID" },
      { id: null, at: startOfTests + 1, text: "Without" },
    ];
    await note(storage, account, ada, ...messages);
    await storage.inbox.deleteTexts(startOfTests + day, 100);
    expect((await note(storage, account, ada, ...messages)).newMessages).toBe(0);
    expect(await texts(storage, account)).toEqual([null, null]);
  });
});
