import { describe, expect, test } from "bun:test";
import { LeadService } from "../../src/features/leads/service.ts";
import { LeadStatusFollower } from "../../src/features/leads/status-follower.ts";
import type { SuppressionService } from "../../src/features/suppression/service.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const later = startOfTests + 60_000;

describe.each(enginesAndPostgres)("the status of leads on $name", ({ open }) => {
  test("follows what was done, and what people did, without an actor", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user, account } = await make.storedUser(storage);
    const clock = new FakeClock();
    const noSuppressions = {} as SuppressionService;
    const leads = new LeadService(storage.leads, noSuppressions, clock, make.ids);
    const follower = new LeadStatusFollower(storage.events, leads, "replies");
    const profileUrl = "https://network.example/in/ada";
    const lead = await make.storedLead(storage, user.id, { networkUrl: profileUrl });
    const other = await make.storedLead(storage, user.id);
    await follower.follow();
    const action = { profileUrl, leadId: lead.id, state: "completed", slotAt: later } as const;
    const times = { createdAt: later, updatedAt: later };
    const request = make.actionRequest(account, {
      action: { ...action, ...times, carriedOutAt: later },
      job: { status: "completed", ...times },
    });
    await storage.network.record(request, "pending");
    await follower.follow();
    const status = async (id: string) => (await storage.leads.get(user.id, id))?.status;
    expect([await status(lead.id), await status(other.id)]).toEqual(["contacted", "new"]);
    const { profileKey } = request.action;
    await storage.network.noteNews(account.id, [{ profileKey, kind: "replied", at: later + 9 }], later + 9);
    await follower.follow();
    expect(await status(lead.id)).toBe("qualified");
  });
});
