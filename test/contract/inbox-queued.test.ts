import { describe, expect, test } from "bun:test";
import { conversationId } from "../../src/features/network/message-ids.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, claimAction, claimOf } from "../support/factories.ts";
import { hour, minute, withScheduled } from "../support/network-actions.ts";

const ada = "https://network.example/in/ada";
const grace = "https://network.example/in/grace";

describe.each(enginesAndPostgres)("queued messages of conversations on $name", ({ open }) => {
  const message = (profileUrl: string, text: string, notBefore = startOfTests) =>
    ({ actionType: "sendMessage", message: text, profileUrl, notBefore, targetKey: text }) as const;

  test("the one that is sent next, with the beginning of its text, until it is sent", async () => {
    await using opened = await open();
    const { storage, account, make } = await withScheduled(
      opened.storage,
      {},
      message(ada, "Later", startOfTests + hour),
    );
    const { workspaceId } = account;
    const long = "x".repeat(500);
    const next = await make.scheduledJob(storage, account, { action: message(ada, long) });
    await make.scheduledJob(storage, account, { action: { actionType: "visitProfile", profileUrl: grace } });
    const [ofAda, ofGrace] = [conversationId(account.id, ada), conversationId(account.id, grace)];
    const queued = async () => storage.inbox.queued(workspaceId, [ofAda, ofGrace]);
    const found = await queued();
    expect([...found.keys()]).toEqual([ofAda]);
    expect(found.get(ofAda)).toMatchObject({ id: next.id, kind: "message", text: "x".repeat(160), campaignId: null });
    expect(found.get(ofAda)?.scheduledFor).toBeLessThan(startOfTests + hour);
    const due = await claimAction(storage, startOfTests + minute);
    expect((await queued()).get(ofAda)).toMatchObject({ id: due.job.id, pendingReason: null });
    await storage.network.endAction(claimOf(due.job), actionEnd({ at: startOfTests + minute }));
    expect((await queued()).get(ofAda)?.text).toBe("Later");
  });

  test("belong to their conversation and workspace", async () => {
    await using opened = await open();
    const { storage, account, make } = await withScheduled(opened.storage, {}, message(ada, "To Ada"));
    await make.scheduledJob(storage, account, { action: message(grace, "To Grace") });
    const stranger = await withScheduled(opened.storage, {}, message(ada, "Of another workspace"));
    const ids = [ada, grace].map((profile) => conversationId(account.id, profile));
    const found = await storage.inbox.queued(account.workspaceId, ids);
    expect(ids.map((id) => found.get(id)?.text)).toEqual(["To Ada", "To Grace"]);
    expect((await storage.inbox.queued(stranger.account.workspaceId, ids)).size).toBe(0);
    expect((await storage.inbox.queued(account.workspaceId, [])).size).toBe(0);
  });
});
