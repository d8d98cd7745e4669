import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { createImportHandler } from "../../src/features/leads/import-job.ts";
import { KeptFailedRows } from "../../src/features/leads/kept-failed-rows.ts";
import { LeadService } from "../../src/features/leads/service.ts";
import { SuppressionService } from "../../src/features/suppression/service.ts";
import { MemberService } from "../../src/features/workspaces/members/service.ts";
import { KeyRing } from "../../src/platform/auth/access.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { blobStores } from "../support/blob-stores.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimOf, createFactories } from "../support/factories.ts";

const caller: Caller = {
  ...{ keyId: "local", keyName: "local", keyHash: null, workspaceId: null, userId: null, role: null },
  ...{ memberRole: null, permissions: ["*"], requiresApproval: false, expiresAt: null, isLocal: true },
};

/** A workspace with an owner, and a member who is going to leave. */
async function arrange(storage: Storage) {
  const make = createFactories();
  const [owner, leaving] = [await make.storedUser(storage), await make.storedUser(storage)];
  const workspaceId = owner.workspace.id;
  const audit = auditEntry(null, startOfTests, { action: "member.updated", workspaceId });
  const member = { ...leaving.member, workspaceId, role: "member" as const };
  const change = (changes: { write?: (typeof member)[]; remove?: string[] }) =>
    storage.workspaces.changeMembers(workspaceId, [], () => ({ write: [], remove: [], ...changes, audit }));
  await change({ write: [member] });
  return {
    ...{ make, workspaceId, owner: owner.user.id, leaving: leaving.user.id },
    leave: () => change({ remove: [leaving.user.id] }),
  };
}

describe.each(enginesAndPostgres)("the removal of a member on $name", ({ open }) => {
  test("passes on leads that were assigned to the member after the others were passed on", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, owner, leaving } = await arrange(storage);
    const clock = new FakeClock();
    const suppressions = new SuppressionService(storage.suppressions, clock, make.ids, createLog("silent"), null);
    const leads = new LeadService(storage.leads, suppressions, clock, make.ids);
    const assign = (n: number) =>
      leads.create({ workspaceId, userId: null }, { email: `p${n}@example.com`, assignedTo: leaving }, "create");
    const early = await assign(1);
    const late: string[] = [];
    const members = new MemberService({
      ...{ workspaces: storage.workspaces, ring: new KeyRing(storage.keys, storage.workspaces, clock), clock },
      handOver: {
        leadsTo: (...parts) => leads.handOver(...parts),
        accountsTo: async () => void late.push((await assign(2)).id),
      },
    });
    await members.remove(caller, workspaceId, leaving, { leadsTo: owner });
    for (const id of [early.id, ...late])
      expect(await storage.leads.get(workspaceId, id)).toMatchObject({ assignedTo: owner });
    await expect(assign(3)).rejects.toThrow("is not the ID of an active member");
    expect(await storage.leads.count(workspaceId, {})).toBe(2);
  });

  test("leaves the rest of a running import to the others", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, owner, leaving, leave } = await arrange(storage);
    await using files = await blobStores["a disk"]!();
    const settings = { format: "csv", delimiter: null, columns: null, tags: [], source: null, onDuplicate: "create" };
    const job = await make.storedJob(storage, workspaceId, {
      ...{ status: "running", attempt: 1, leaseUntil: startOfTests + 60_000 },
      payload: { ...settings, dryRun: false, assignTo: [owner, leaving] },
    });
    const rows = Array.from({ length: 1000 }, (_, n) => `p${n}@example.com`);
    await files.blobs.receive(`imports/${job.id}`, new Response(`email\n${rows.join("\n")}\n`).body, 100_000);
    let batches = 0;
    const importBatch: Storage["leads"]["importBatch"] = async (batch) => {
      if (++batches === 2) await leave();
      return await storage.leads.importBatch(batch);
    };
    const leads = { ...storage.leads, importBatch };
    const handler = createImportHandler(
      leads,
      storage.workspaces,
      files.blobs,
      new KeptFailedRows(files.blobs, new FakeClock(), createLog("silent")),
      { find: storage.jobs.get },
      new FakeClock(),
    );
    const end = await handler.run(job, {
      ...{ claim: claimOf(job), signal: new AbortController().signal },
      ...{ isHeld: () => true, leaseUntil: () => startOfTests + 60_000, retryOnDiskFault: (write) => write() },
    });
    expect(end).toMatchObject({ kind: "completed", metadata: { rows: 1000, created: 1000 } });
    const assignedTo = (userId: string) => storage.leads.count(workspaceId, { assignedTo: userId });
    // Only of the first 400 rows did every second one go to the member.
    expect([await assignedTo(leaving), await assignedTo(owner)]).toEqual([200, 800]);
  });
});
