import { describe, expect, test } from "bun:test";
import { searchWords } from "../../src/features/inbox/words.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { storedAccount, withScheduled } from "../support/network-actions.ts";

describe.each(enginesAndPostgres)("conversations by the handle of a person on $name", ({ open }) => {
  test("are found by its beginning on any network, within their workspace", async () => {
    await using opened = await open();
    const { storage } = opened;
    const action = { actionType: "sendMessage", message: "Hi" } as const;
    const profiles = ["a.example/in/ada-lovelace-42", "z.example/ada-lovelace-42", "a.example/in/ada-lovelace-43"];
    const [first, ...others] = profiles.map((path) => `https://${path}`);
    const { account, make } = await withScheduled(storage, {}, { ...action, profileUrl: first! });
    for (const profileUrl of [...others, "https://m.example/x/y/grace"])
      await make.scheduledJob(storage, account, { action: { ...action, profileUrl } });
    const stranger = await storedAccount(storage, createFactories(Math.floor(Math.random() * 1e9)));
    const found = async (handle: string, { workspaceId } = account) => {
      const request = { workspaceId, filter: { words: searchWords(handle), handle }, now: startOfTests };
      const page = await storage.inbox.conversations({ ...request, limit: 50, after: null });
      expect(await storage.inbox.countConversations(request)).toBe(page.length);
      return page.map(({ profileKey }) => profileKey.replace("https://", "")).toSorted();
    };
    expect(await found("ada-lovelace-42")).toEqual([profiles[0]!, profiles[1]!]);
    expect(await found("ada-l")).toEqual(profiles.toSorted());
    expect(await found("grace")).toEqual(["m.example/x/y/grace"]);
    expect(await found("lovelace-42")).toEqual([]);
    expect(await found("ada-lovelace-42", stranger.account)).toEqual([]);
  });
});
