import { describe, expect, test } from "bun:test";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimOf, createFactories } from "../support/factories.ts";

const hour = 3_600_000;

describe.each(engines)("simulation on $name", ({ open }) => {
  test("a database is one once it was begun, and keeps its seed, its time and its number of starts", async () => {
    await using opened = await open();
    expect(await opened.storage.simulation.read()).toBeNull();
    expect(await opened.storage.simulation.start(7, startOfTests)).toEqual({ seed: 7, now: startOfTests, starts: 1 });
    await opened.storage.simulation.setNow(startOfTests + hour);
    const { simulation } = await opened.reopen();
    expect(await simulation.start(8, startOfTests)).toEqual({ seed: 7, now: startOfTests + hour, starts: 2 });
    expect(await simulation.read()).toEqual({ seed: 7, now: startOfTests + hour, starts: 2 });
  });

  test("what ended in a time is told in order, and nothing that ended before or after", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const account = make.account(user.id, { workingHours: alwaysOpen });
    await storage.network.insertAccount(account);
    const ended = (at: number) =>
      make.storedJob(storage, user.id, { status: "completed", completedAt: at, updatedAt: at });
    await ended(startOfTests);
    const import1 = await ended(startOfTests + 2 * hour);
    await ended(startOfTests + 5 * hour);
    const action = await make.scheduledJob(storage, account);
    const due = await claimAction(storage);
    await storage.network.endAction(claimOf(due.job), actionEnd({ at: startOfTests + hour }));
    const { profileKey, profileUrl } = due.action;
    const at = startOfTests + 3 * hour;
    await storage.network.noteNews(account.id, [{ profileKey, kind: "accepted", at }], at);

    const told = await storage.simulation.eventsBetween(startOfTests, startOfTests + 4 * hour);
    expect(told).toEqual([
      {
        at: startOfTests + hour,
        kind: "action",
        userId: user.id,
        id: action.id,
        what: "sendConnectionRequest",
        outcome: "completed",
      },
      {
        at: startOfTests + 2 * hour,
        kind: "job",
        userId: user.id,
        id: import1.id,
        what: "lead_import",
        outcome: "completed",
      },
      { at, kind: "accepted", userId: user.id, id: profileUrl, what: account.id, outcome: "connected" },
    ]);
  });
});
