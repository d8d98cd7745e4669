import { describe, expect, test } from "bun:test";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, claimAction, claimActions, claimOf } from "../support/factories.ts";
import { minute, hour, day, at, stateOf, withScheduled, withClaimed } from "../support/network-actions.ts";

describe.each(enginesAndPostgres)("changes of network actions on $name", ({ open }) => {
  describe("approval", () => {
    test("gives an action its slot; before, it is never due", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage, {}, { state: "awaitingApproval" });
      expect(job.runAt).toBeGreaterThan(startOfTests + 1e5 * day);
      expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
      expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests);
      const approved = await storage.network.approve(account.workspaceId, job.id, startOfTests);
      expect(approved).toMatchObject({
        kind: "changed",
        action: { state: "scheduled", slotAt: startOfTests + minute },
      });
      expect(await storage.network.approve(account.workspaceId, job.id, startOfTests)).toMatchObject({
        kind: "refused",
      });
    });

    test("is not given by canceling and running again", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(opened.storage, {}, { state: "awaitingApproval" });
      await storage.jobs.cancel(account.workspaceId, job.id, at);
      const change = await storage.jobs.retry(account.workspaceId, job.id, at);
      expect(change).toMatchObject({ kind: "changed", job: { metadata: { pendingReason: "awaitingApproval" } } });
      expect(await stateOf(storage, job)).toBe("awaitingApproval");
      expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
    });

    test("is needed again when somebody who may only propose has edited the action", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(opened.storage);
      const edit = { message: "Something else", needsApproval: true };
      const change = await storage.network.edit(account.workspaceId, job.id, edit, at);
      expect(change).toMatchObject({
        kind: "changed",
        action: { state: "awaitingApproval", message: "Something else" },
      });
      expect(await claimActions(storage, startOfTests + 365 * day)).toEqual([]);
    });
  });

  describe("an edit", () => {
    test("of the text keeps the slot; of the moment finds another, later or earlier, not hindered by its own", async () => {
      await using opened = await open();
      const { storage, account, job } = await withScheduled(opened.storage, {}, { message: "Hi" });
      const slotAfter = async (edit: object) => {
        const change = await storage.network.edit(account.workspaceId, job.id, edit, startOfTests);
        return change.kind === "changed" ? change.action.slotAt! - startOfTests : change;
      };
      expect(await slotAfter({ message: "Hello" })).toBe(0);
      expect(await slotAfter({ notBefore: startOfTests + 30_000 })).toBe(30_000);
      expect(await slotAfter({ notBefore: startOfTests + hour })).toBe(hour);
      expect(await slotAfter({ notBefore: startOfTests + minute })).toBe(minute);
      const found = await storage.network.action(account.workspaceId, job.id);
      expect(found).toMatchObject({ action: { message: "Hello" }, job: { runAt: startOfTests + minute } });
    });

    test("that is refused changes nothing", async () => {
      await using opened = await open();
      const { storage, account, make, job } = await withScheduled(opened.storage);
      const { action } = (await storage.network.action(account.workspaceId, job.id))!;
      await storage.network.updateAccount(account.workspaceId, account.id, { caps: { all: { day: 0 } }, updatedAt: 1 });
      const before = await storage.network.action(account.workspaceId, job.id);
      const edit = { message: "New", notBefore: startOfTests + hour };
      expect((await storage.network.edit(account.workspaceId, job.id, edit, at)).kind).toBe("never");
      expect(await storage.network.action(account.workspaceId, job.id)).toEqual(before);
      await make.storedSuppression(storage, null, "profile", action.profileKey);
      expect((await storage.network.edit(account.workspaceId, job.id, edit, at)).kind).toBe("objected");
      expect(await storage.network.action(account.workspaceId, job.id)).toEqual(before);
    });

    test("does not make two of the same", async () => {
      await using opened = await open();
      const like = (post: string) =>
        ({ actionType: "likePost", profileUrl: "https://network.example/in/ada", targetKey: post }) as const;
      const { storage, account, make, job } = await withScheduled(opened.storage, {}, like("a"));
      const other = await make.scheduledJob(storage, account, { action: like("b") });
      const { workspaceId } = account;
      expect(await storage.network.edit(workspaceId, other.id, { targetKey: "a" }, at)).toEqual({
        kind: "twin",
        jobId: job.id,
      });
      expect((await storage.network.edit(workspaceId, other.id, { targetKey: "c" }, at)).kind).toBe("changed");
      expect((await storage.network.schedule(make.actionRequest(account, { action: like("b") }), true)).kind).toBe(
        "scheduled",
      );
      expect((await storage.network.schedule(make.actionRequest(account, { action: like("c") }), true)).kind).toBe(
        "existing",
      );
    });

    test("is refused once the action has begun, and absent for others", async () => {
      await using opened = await open();
      const { storage, job, make } = await withClaimed(opened.storage);
      const stranger = (await make.storedUser(storage)).user.id;
      expect((await storage.network.edit(job.workspaceId, job.id, { message: "x" }, at)).kind).toBe("refused");
      for (const change of ["approve", "cancel"] as const)
        expect(await storage.network[change](stranger, job.id, at)).toEqual({ kind: "absent" });
      expect(await storage.network.edit(stranger, job.id, { message: "x" }, at)).toEqual({ kind: "absent" });
      expect(await storage.network.resolve(stranger, job.id, actionEnd())).toEqual({ kind: "absent" });
    });

    test("while a voice message is prepared makes the old preparation void", async () => {
      await using opened = await open();
      const voice = { actionType: "sendVoiceMessage", message: "Hello" } as const;
      const { storage, due } = await withClaimed(opened.storage, {}, voice);
      const { job } = due;
      await storage.network.edit(job.workspaceId, job.id, { message: "Good bye" }, startOfTests);
      expect(await storage.network.markSending(claimOf(job), startOfTests)).toBe(false);
      expect((await claimAction(storage)).action.message).toBe("Good bye");
    });
  });

  test.each([
    ["completed", "completed", startOfTests],
    ["not sent", "failed", null],
  ] as const)(
    "an unknown action that a person says was %s is %s, as of when it was tried",
    async (_what, state, slotAt) => {
      await using opened = await open();
      const { storage, job } = await withClaimed(opened.storage);
      await storage.network.endAction(claimOf(job), actionEnd({ state: "unknown" }));
      const end = actionEnd({ state, at: startOfTests + 9 * day });
      const change = await storage.network.resolve(job.workspaceId, job.id, end);
      expect(change).toMatchObject({ kind: "changed", action: { state, slotAt } });
      expect(await storage.network.resolve(job.workspaceId, job.id, end)).toMatchObject({ kind: "refused" });
      const retried = await storage.jobs.retry(job.workspaceId, job.id, startOfTests + 9 * day);
      expect(retried.kind).toBe(state === "completed" ? "refused" : "changed");
    },
  );

  test("a record of what was done by hand counts, and does not undo what has happened since", async () => {
    await using opened = await open();
    const { storage, account, make } = await withScheduled(opened.storage, { caps: { invites: { day: 2 } } });
    const profileUrl = "https://network.example/in/ada";
    const done = (doneAt: number) =>
      make.actionRequest(account, {
        action: { profileUrl, state: "completed", slotAt: doneAt },
        job: { status: "completed" },
      });
    await storage.network.record(done(startOfTests - hour), "connected");
    expect(await storage.network.contact(account.workspaceId, account.id, profileUrl)).toMatchObject({
      relation: "connected",
    });
    await storage.network.record(done(startOfTests - 90 * day), null);
    expect(await storage.network.contact(account.workspaceId, account.id, profileUrl)).toMatchObject({
      relation: "connected",
    });
    expect(await storage.network.accountsToPlan()).toEqual([account.id]);
    // One by hand in the last day, one that waits: the next must wait for the first to leave the window.
    expect((await make.scheduledJob(storage, account)).runAt).toBe(startOfTests + 23 * hour);
  });
});
