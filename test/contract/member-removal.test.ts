import { describe, expect, test } from "bun:test";
import { LeadService } from "../../src/features/leads/service.ts";
import { SuppressionService } from "../../src/features/suppression/service.ts";
import { MemberService } from "../../src/features/workspaces/members/service.ts";
import { KeyRing } from "../../src/platform/auth/access.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const caller: Caller = {
  ...{ keyId: "local", keyName: "local", keyHash: null, workspaceId: null, userId: null, role: null },
  ...{ memberRole: null, permissions: ["*"], requiresApproval: false, expiresAt: null, isLocal: true },
};

describe.each(enginesAndPostgres)("the removal of a member on $name", ({ open }) => {
  test("passes on leads that were assigned to the member after the others were passed on", async () => {
    await using opened = await open();
    const { storage } = opened;
    const [make, clock] = [createFactories(), new FakeClock()];
    const [owner, leaving] = [await make.storedUser(storage), await make.storedUser(storage)];
    const workspaceId = owner.workspace.id;
    const audit = auditEntry(null, startOfTests, { action: "member.updated", workspaceId });
    const member = { ...leaving.member, workspaceId, role: "member" as const };
    await storage.workspaces.changeMembers(workspaceId, [], () => ({ write: [member], remove: [], audit }));
    const suppressions = new SuppressionService(storage.suppressions, clock, make.ids, createLog("silent"), null);
    const leads = new LeadService(storage.leads, suppressions, clock, make.ids);
    const acting = { workspaceId, userId: null };
    const assign = (n: number) =>
      leads.create(acting, { email: `p${n}@example.com`, assignedTo: leaving.user.id }, "create");
    const early = await assign(1);
    const late: string[] = [];
    const members = new MemberService({
      ...{ workspaces: storage.workspaces, ring: new KeyRing(storage.keys, storage.workspaces, clock), clock },
      handOver: {
        leadsTo: (...parts) => leads.handOver(...parts),
        accountsTo: async () => void late.push((await assign(2)).id),
      },
    });
    await members.remove(caller, workspaceId, leaving.user.id, { leadsTo: owner.user.id });
    for (const id of [early.id, ...late])
      expect(await storage.leads.get(workspaceId, id)).toMatchObject({ assignedTo: owner.user.id });
    await expect(assign(3)).rejects.toThrow("is not the ID of an active member");
    expect(await storage.leads.count(workspaceId, {})).toBe(2);
  });
});
