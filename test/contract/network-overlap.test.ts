import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimOf, createFactories } from "../support/factories.ts";

const profileUrl = "https://network.example/in/ada";
const day = 86_400_000;

describe.each(enginesAndPostgres)("two accounts of a workspace on $name", ({ open }) => {
  async function team(storage: Storage) {
    const make = createFactories();
    const { workspace } = await make.storedUser(storage);
    const calm = { workingHours: alwaysOpen, sessions: null, warmUp: null, jitterPercent: 0 };
    const [one, two] = [
      make.account(workspace.id, { ...calm, name: "one" }),
      make.account(workspace.id, { ...calm, name: "two" }),
    ];
    for (const account of [one, two]) await storage.network.insertAccount(account);
    const invite = (account: NetworkAccount, action: object = {}, createdAt = startOfTests) =>
      storage.network.schedule(
        make.actionRequest(account, { action: { profileUrl, ...action }, job: { createdAt } }),
        false,
      );
    return { make, one, two, invite, workspaceId: workspace.id };
  }

  const objected = (since: number | null = null) => ({
    kind: "objected" as const,
    objection: { kind: "invitedByColleague" as const, accountName: "one", since },
  });

  test("do not both plan to invite a person, also if one request waits for approval", async () => {
    await using opened = await open();
    const { one, two, invite } = await team(opened.storage);
    expect((await invite(one, { state: "awaitingApproval" })).kind).toBe("scheduled");
    expect(await invite(two)).toEqual(objected());
    expect((await invite(two, { profileUrl: `${profileUrl}-other` })).kind).toBe("scheduled");
    expect((await invite(two, { actionType: "visitProfile" })).kind).toBe("scheduled");
    expect((await invite(two, { details: { allowOverlap: true } })).kind).toBe("scheduled");
  });

  test("do not invite a person whom the other has invited or is connected with", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { one, two, invite } = await team(storage);
    await invite(one);
    const { job } = await claimAction(storage);
    await storage.network.endAction(claimOf(job), actionEnd({ at: startOfTests }));
    expect(await invite(two, {}, startOfTests + day)).toEqual(objected(startOfTests));
    const acceptedAt = startOfTests + 2 * day;
    await storage.network.noteNews(one.id, [{ profileKey: profileUrl, kind: "accepted", at: acceptedAt }], acceptedAt);
    expect(await invite(two, {}, startOfTests + 3 * day)).toEqual(objected(acceptedAt));
  });

  test("may invite a person once the request of the other is canceled", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { one, two, invite, workspaceId } = await team(storage);
    const first = await invite(one);
    if (first.kind !== "scheduled") throw new Error(first.kind);
    await storage.network.cancel(workspaceId, first.job.id, startOfTests + 1);
    expect((await invite(two)).kind).toBe("scheduled");
  });

  test("of two requests at the same moment one is scheduled", async () => {
    await using opened = await open();
    const { one, two, invite } = await team(opened.storage);
    for (let round = 0; round < 10; round++) {
      const person = { profileUrl: `${profileUrl}-${round}` };
      const outcomes = await Promise.all([invite(one, person), invite(two, person)]);
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(["objected", "scheduled"]);
    }
  });

  test("that both had a request before the rule: the first one is sent, the second skipped", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { one, two, invite } = await team(storage);
    // Scheduled with permission, which is then taken away.
    const allowed = { details: { allowOverlap: true } };
    const [first, second] = [await invite(one, allowed), await invite(two, allowed)];
    if (first.kind !== "scheduled" || second.kind !== "scheduled") throw new Error("not scheduled");
    for (const { action } of [first, second])
      await storage.network.edit(action.workspaceId, action.jobId, { details: {} }, startOfTests);
    const { due } = await storage.network.claimDue({
      now: startOfTests + day,
      leaseUntil: startOfTests + 2 * day,
      limit: 10,
    });
    expect(due.map(({ action }) => action.jobId)).toEqual([first.action.jobId]);
    expect((await storage.network.action(second.action.workspaceId, second.action.jobId))?.action.state).toBe(
      "skipped",
    );
  });

  test("of different workspaces know nothing of each other", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { one, invite, make } = await team(storage);
    const stranger = await make.storedUser(storage);
    await invite(one);
    expect((await invite({ ...stranger.account, workingHours: alwaysOpen })).kind).toBe("scheduled");
  });
});
