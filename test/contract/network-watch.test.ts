import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { ActionType } from "../../src/features/network/action-kinds.ts";
import type { Awaited } from "../../src/features/network/watch-batch.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, claimAction, claimOf, createFactories, type Factories } from "../support/factories.ts";
import { day, minute, storedAccount } from "../support/network-actions.ts";

const acceptance: Awaited = { waitsFor: "acceptance" };
const reply: Awaited = { waitsFor: "reply", messagedAfter: startOfTests - 1, repliedAfter: startOfTests - 1 };
const profile = (name: string) => `https://network.example/in/${name}`;
const numbers = Array.from({ length: 250 }, (_, n) => n);

const many = { day: 1000, week: 1000 };
/** Acts as often as it is asked to. */
const tireless = {
  spacing: { medianSeconds: 0, minSeconds: 0 },
  caps: { all: many, invites: many, messages: many },
};

/** The account did this to these people, in the order of the minutes after the start. */
async function done(
  storage: Storage,
  make: Factories,
  account: NetworkAccount,
  actionType: ActionType,
  people: Record<string, number>,
): Promise<void> {
  for (const [name, after] of Object.entries(people)) {
    const action = { actionType, profileUrl: profile(name), message: "Hi" };
    await make.scheduledJob(storage, account, { action });
    const at = startOfTests + after * minute;
    const { job } = await claimAction(storage, at);
    await storage.network.endAction(claimOf(job), actionEnd({ at }));
  }
}

const replied = (name: string, at: number) => ({ profileKey: profile(name), kind: "replied" as const, at });

describe.each(enginesAndPostgres)("people an account waits for on $name", ({ open }) => {
  test("are found, however many there are", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { account } = await storedAccount(storage, make, tireless);
    const { account: other } = await storedAccount(storage, make, tireless);
    await done(storage, make, other, "sendConnectionRequest", { stranger: 1 });
    const invited = Object.fromEntries(numbers.map((n) => [`invited-${n}`, n]));
    const messaged = Object.fromEntries(numbers.map((n) => [`messaged-${n}`, n]));
    await done(storage, make, account, "sendConnectionRequest", invited);
    await done(storage, make, account, "sendMessage", messaged);
    // They have answered, so that they are the newest of all.
    const answers = [3, 200].map((n) => replied(`messaged-${n}`, startOfTests + (1000 + n) * minute));
    await storage.network.noteNews(account.id, answers, startOfTests + day);

    for (const [awaited, kind, newestFirst] of [
      [acceptance, "invited", numbers.toSorted((a, b) => b - a)],
      [reply, "messaged", [200, 3, ...numbers.toSorted((a, b) => b - a).filter((n) => n !== 3 && n !== 200)]],
    ] as const) {
      const namesOf = async (page: { limit: number; after?: string }) =>
        (await storage.network.watched(account.id, awaited, page)).map(({ profileKey }) => profileKey);
      const newest = newestFirst.map((n) => profile(`${kind}-${n}`));
      expect(await namesOf({ limit: 60 })).toEqual(newest.slice(0, 60));
      expect(await namesOf({ limit: 1000 })).toEqual(newest);
      const all: string[] = [];
      for (let page = [""]; page.length > 0; page = await namesOf({ limit: 60, after: all.at(-1) ?? "" }))
        all.push(...page.filter((key) => key !== ""));
      expect(all).toHaveLength(250);
      expect(all.toSorted()).toEqual(newest.toSorted());
    }
  }, 60_000);

  test("are watched for one thing at a time, and not forever", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { account } = await storedAccount(storage, make, tireless);
    await done(storage, make, account, "sendMessage", { early: 1, answered: 1, again: 1, long: 1, silent: 5, both: 6 });
    await done(storage, make, account, "sendConnectionRequest", { both: 10 });
    const at = startOfTests + 20 * minute;
    await storage.network.noteNews(account.id, [replied("answered", at), replied("again", at)], at);
    await storage.network.noteNews(account.id, [replied("long", startOfTests + 2 * minute)], at);
    await done(storage, make, account, "sendMessage", { again: 30 });
    const since = (messaged: number, answered: number): Awaited => ({
      waitsFor: "reply",
      messagedAfter: startOfTests + messaged * minute,
      repliedAfter: startOfTests + answered * minute,
    });
    const namesOf = async (awaited: Awaited) =>
      (await storage.network.watched(account.id, awaited, { limit: 100 })).map(({ profileKey }) =>
        profileKey.slice(profile("").length),
      );
    expect(await namesOf(acceptance)).toEqual(["both"]);
    expect(await namesOf(since(1, 2))).toEqual(["again", "answered", "silent"]);
    expect(await namesOf(since(5, 19))).toEqual(["again", "answered"]);
    expect(await namesOf(since(30, 20))).toEqual([]);
    const accepted = { profileKey: profile("both"), kind: "accepted" as const, at };
    await storage.network.noteNews(account.id, [accepted], at);
    expect(await namesOf(acceptance)).toEqual([]);
    expect(await namesOf(since(4, 20))).toEqual(["again", "both", "silent"]);
    expect(await storage.network.watched("none", acceptance, { limit: 100 })).toEqual([]);
  });
});
