import { describe, expect, test } from "bun:test";
import type { Mail } from "../../src/features/mail/model.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const minute = 60_000;

function mailTo(recipient: string, parts: Partial<Mail> = {}): Mail {
  return {
    ...{ id: `mail to ${recipient}`, dedupe: `one to ${recipient}`, kind: "test", userId: null, recipient },
    ...{ subject: "Hello", body: "World", state: "pending", tries: 0, dueAt: startOfTests, reason: null },
    ...{ createdAt: startOfTests, endedAt: null, ...parts },
  };
}

describe.each(enginesAndPostgres)("mail on $name", ({ open }) => {
  test("a mail is queued once, and survives the end of the process", async () => {
    await using opened = await open();
    expect(await opened.storage.mail.enqueue([mailTo("a@example.com"), mailTo("b@example.com")])).toBe(2);
    expect(await opened.storage.mail.enqueue([mailTo("a@example.com", { id: "another" })])).toBe(0);
    const { mail } = await opened.reopen();
    const claimed = await mail.claim(startOfTests, startOfTests + minute, 10);
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(["mail to a@example.com", "mail to b@example.com"]);
  });

  test("of two nodes that claim at once, each gets other mails; they come back when the time of a claim is over", async () => {
    await using opened = await open();
    const { mail } = opened.storage;
    await mail.enqueue([1, 2, 3, 4].map((n) => mailTo(`${n}@example.com`, { dueAt: startOfTests - n })));
    const claim = (now: number) => mail.claim(now, now + minute, 2);
    const [one, two] = await Promise.all([claim(startOfTests), claim(startOfTests)]);
    const ids = [...one, ...two].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await mail.claim(startOfTests, startOfTests + minute, 10);
    expect(ids.length + rest.length).toBe(4);
    expect(await mail.claim(startOfTests + minute - 1, startOfTests + 2 * minute, 10)).toEqual([]);
    const again = await mail.claim(startOfTests + minute, startOfTests + 2 * minute, 10);
    expect(again.map(({ tries }) => tries)).toEqual([2, 2, 2, 2]);
  });

  test("a mail that ended is not claimed again, and its text is gone", async () => {
    await using opened = await open();
    const { mail } = opened.storage;
    await mail.enqueue([mailTo("sent@example.com"), mailTo("failed@example.com"), mailTo("late@example.com")]);
    await mail.claim(startOfTests, startOfTests + minute, 10);
    await mail.settle("mail to sent@example.com", { kind: "sent" }, startOfTests);
    await mail.settle("mail to failed@example.com", { kind: "failed", reason: "no such user" }, startOfTests);
    const later = startOfTests + 10 * minute;
    await mail.settle("mail to late@example.com", { kind: "retry", dueAt: later, reason: "busy" }, startOfTests);
    expect(await mail.claim(later - 1, later, 10)).toEqual([]);
    const due = await mail.claim(later, later + minute, 10);
    expect(due).toMatchObject([{ recipient: "late@example.com", tries: 2, reason: "busy", body: "World" }]);
    expect(await mail.sweep(startOfTests - 1, 10)).toBe(0);
    expect(await mail.sweep(startOfTests, 1)).toBe(1);
    expect(await mail.sweep(startOfTests, 10)).toBe(1);
    // Once it is forgotten, the same can be queued again.
    expect(await mail.enqueue([mailTo("sent@example.com")])).toBe(1);
  });

  test("notifications are queued with the position that they belong to, and only once", async () => {
    await using opened = await open();
    const { mail } = opened.storage;
    expect(await mail.position()).toBeNull();
    expect(await mail.collect(null, 7, [])).toBe(true);
    expect(await mail.collect(null, 7, [mailTo("x@example.com")])).toBe(false);
    const moves = await Promise.all([
      mail.collect(7, 9, [mailTo("a@example.com")]),
      mail.collect(7, 8, [mailTo("b@example.com")]),
    ]);
    expect(moves.filter(Boolean)).toHaveLength(1);
    expect([8, 9]).toContain((await mail.position()) ?? 0);
    expect(await mail.claim(startOfTests, startOfTests + minute, 10)).toHaveLength(1);
  });

  test("preferences are kept per user, and readers of the digest are found in pages", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const users = [];
    for (let n = 0; n < 4; n++) users.push((await make.storedUser(storage, n === 3 ? { isActive: false } : {})).user);
    const [one, two, three, four] = users.map(({ id }) => id) as [string, string, string, string];
    for (const id of [one, three, four]) await storage.mail.setPreferences(id, { dailyDigest: true }, startOfTests);
    await storage.mail.setPreferences(two, { dailyDigest: true }, startOfTests);
    await storage.mail.setPreferences(two, { dailyDigest: false, replyReceived: false }, startOfTests + 1);
    expect(await storage.mail.preferences([one, two, "nobody"])).toEqual(
      new Map([
        [one, { dailyDigest: true }],
        [two, { dailyDigest: false, replyReceived: false }],
      ]),
    );
    expect(await storage.mail.preferences([])).toEqual(new Map());
    const [first, second] = [one, three].toSorted();
    const page = await storage.mail.digestReaders(null, 1);
    expect(page.map(({ id }) => id)).toEqual([first!]);
    expect(await storage.mail.digestReaders(first!, 5)).toMatchObject([{ id: second, timeZone: "UTC" }]);
  });
});
