import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { untouched, type Campaign, type Enrollment } from "../../src/features/campaigns/model.ts";
import type { Lead, LeadFilter } from "../../src/features/leads/model.ts";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import type { MergeReport, MergeRequest } from "../../src/features/workspaces/merge/model.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres, type OpenedStorage } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimOf, createFactories } from "../support/factories.ts";
import { all, made } from "../support/prospect-rows.ts";

const at = startOfTests + 1000;

async function createWorld(opened: OpenedStorage) {
  const { storage } = opened;
  const make = createFactories();
  const [from, into] = [await make.storedUser(storage), await make.storedUser(storage)];
  const [fromId, intoId] = [from.workspace.id, into.workspace.id];

  function request(more: Partial<MergeRequest> = {}): MergeRequest {
    const target = { type: "workspace", id: fromId } as const;
    const audit = auditEntry(null, at, { action: "workspace.merged", workspaceId: intoId, target });
    return { from: fromId, into: intoId, at, dryRun: false, audit, ...more };
  }

  /** `after`: the storage as the next process finds it. */
  async function merge(more: Partial<MergeRequest> = {}): Promise<MergeReport & { after: Storage }> {
    const outcome = await opened.storage.merges.merge(request(more));
    if (outcome.kind !== "merged") throw new Error(`Expected a merge, got ${JSON.stringify(outcome)}`);
    return { ...outcome.report, after: await opened.reopen() };
  }

  return { storage, make, from, into, fromId, intoId, request, merge };
}
type World = Awaited<ReturnType<typeof createWorld>>;

function campaignOf({ make, fromId, from }: World, overrides: Partial<Campaign> = {}): Campaign {
  return {
    ...{ id: make.ids.next(startOfTests), workspaceId: fromId, name: "Spring", state: "running" },
    steps: [{ type: "action", actionType: "visitProfile" }],
    accountIds: [from.account.id],
    settings: { stopOnReply: true, excludeOtherCampaigns: false, excludeContactedDays: null, allowOverlap: false },
    ...{
      winners: {},
      version: 1,
      firstStep: 0,
      startedAt: null,
      createdAt: startOfTests,
      updatedAt: startOfTests,
      ...overrides,
    },
  };
}

function enrollmentOf({ make, from }: World, { id: campaignId, workspaceId }: Campaign, lead: Lead): Enrollment {
  return {
    ...{ id: make.ids.next(startOfTests), campaignId, workspaceId, leadId: lead.id, accountId: from.account.id },
    ...{ profileKey: lead.networkUrl!, state: "active", reason: null, atStep: 0, sinceAt: startOfTests },
    ...{ wakeAt: startOfTests, jobId: null, connectedAt: null, repliedAt: null, ...untouched, version: 1 },
    ...{ createdAt: startOfTests, updatedAt: startOfTests },
  };
}

const profile = (name: string) => `https://network.example/in/${name}`;

describe.each(enginesAndPostgres)("a merge of workspaces on $name", ({ open }) => {
  async function arrange() {
    const opened = await open();
    return { ...(await createWorld(opened)), [Symbol.asyncDispose]: () => opened.close() };
  }

  test("leads move, and those of both workspaces become one with what each knew", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, merge } = world;
    const email = "ada@example.com";
    const kept = await make.storedLead(storage, intoId, { email, title: null, tags: ["into"] });
    const gone = await make.storedLead(storage, fromId, { email, title: "Countess", tags: ["from"] });
    const moved = await make.storedLead(storage, fromId, { tags: ["From"], status: "contacted" });
    const { merged, after } = await merge();
    expect(merged.leads).toEqual({ moved: 1, united: 1 });
    expect(await after.leads.get(intoId, kept.id)).toMatchObject({
      ...{ title: "Countess", tags: ["into", "from"], version: 2, updatedAt: at },
    });
    expect(await after.leads.get(intoId, gone.id)).toBeNull();
    expect(await after.leads.mergedInto(intoId, [gone.id, moved.id])).toEqual(new Map([[gone.id, kept.id]]));
    expect(await after.leads.get(intoId, moved.id)).toEqual({ ...moved, workspaceId: intoId });
    const counts: [LeadFilter, number][] = [
      [{}, 2],
      [{ statuses: ["new"] }, 1],
      [{ statuses: ["contacted"] }, 1],
      [{ tag: "from" }, 2],
    ];
    for (const [filter, n] of counts) expect(await after.leads.count(intoId, filter)).toBe(n);
    // Duplicates are found by the keys of the workspace that remains.
    for (const lead of [moved, kept])
      expect((await after.leads.findSame(intoId, leadIdentity(lead), null))?.id).toBe(lead.id);
    const again = make.leadInsert(intoId, { email: moved.email }, "error");
    expect(await after.leads.insert(again)).toMatchObject({ kind: "duplicate", lead: { id: moved.id } });
  });

  test("duplicates within one workspace stay apart, and both may become one with the same lead", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, merge } = world;
    const twin = { email: "twin@example.com" };
    for (let n = 0; n < 2; n++) await make.storedLead(storage, fromId, twin);
    const kept = await make.storedLead(storage, intoId, { email: "both@example.com", title: null, phone: null });
    await make.storedLead(storage, fromId, { email: "both@example.com", title: "CTO" });
    await make.storedLead(storage, fromId, { email: "both@example.com", title: null, phone: "+41 44 668 18 00" });
    const { merged, after } = await merge();
    expect(merged.leads).toEqual({ moved: 2, united: 2 });
    expect(await after.leads.count(intoId, {})).toBe(3);
    expect(await after.leads.get(intoId, kept.id)).toMatchObject({ title: "CTO", version: 3 });
  });

  test("campaigns, actions, contacts, and events of a lead name the one that remains", async () => {
    await using world = await arrange();
    const { storage, make, from, fromId, intoId, merge } = world;
    await storage.network.updateAccount(fromId, from.account.id, {
      ...from.account,
      workingHours: alwaysOpen,
    });
    const person = { networkUrl: profile("ada"), email: "ada@example.com" };
    const kept = await make.storedLead(storage, intoId, person);
    const gone = await make.storedLead(storage, fromId, person);
    const twin = await make.storedLead(storage, fromId, person);
    const campaign = campaignOf(world);
    await storage.campaigns.insert(campaign);
    const [first, second] = [enrollmentOf(world, campaign, gone), enrollmentOf(world, campaign, twin)];
    expect(await storage.campaigns.enroll([first, second], false, startOfTests)).toEqual([null, null]);
    const action = { leadId: gone.id, profileUrl: person.networkUrl };
    const { id: jobId } = await make.scheduledJob(storage, from.account, { action });
    const claimed = await claimAction(storage);
    await storage.network.endAction(claimOf(claimed.job), actionEnd({ relation: "pending" }));
    const { after } = await merge();
    const { enrollments } = after.campaigns;
    expect(await enrollments(intoId, campaign.id, {}, null, 10)).toMatchObject([
      { id: first.id, leadId: kept.id, workspaceId: intoId },
    ]);
    expect(await enrollments(fromId, campaign.id, {}, null, 10)).toEqual([]);
    expect(await after.campaigns.list(intoId, 10)).toMatchObject([{ id: campaign.id }]);
    // The funnel counts the one that remains.
    const counters = await after.campaigns.funnel([campaign.id], { fromDay: null, toDay: null, accountId: null });
    expect(counters.map(({ mark, enrollments: n }) => `${mark} ${n}`).toSorted()).toEqual(["active 1", "enrolled 1"]);
    const found = await after.network.action(intoId, jobId);
    expect(found?.action).toMatchObject({ leadId: kept.id, workspaceId: intoId });
    expect(await after.network.contact(intoId, from.account.id, found!.action.profileKey)).toMatchObject({
      relation: "pending",
    });
    const filter = { leadId: kept.id };
    const scopes = [intoId];
    expect(await after.events.count({ scopes, filter })).toBeGreaterThan(0);
    expect(await after.events.count({ scopes, filter: { leadId: gone.id } })).toBe(0);
  });

  test("an action in the queue is sent as one of the workspace that remains", async () => {
    await using world = await arrange();
    const { storage, make, from, fromId, intoId, merge } = world;
    const account = make.account(fromId, { workingHours: alwaysOpen, name: "Second" });
    await storage.network.insertAccount(account);
    const { id } = await make.scheduledJob(storage, account);
    const { merged, after } = await merge();
    expect(merged.networkAccounts).toEqual({ moved: 2, united: 0 });
    const accounts = await after.network.accounts(intoId);
    expect(accounts.map(({ name }) => name).toSorted()).toEqual([
      ...["Main account", `Main account (${from.workspace.name})`, "Second"],
    ]);
    const claimed = await claimAction(after);
    expect(claimed).toMatchObject({ job: { id, workspaceId: intoId }, action: { workspaceId: intoId } });
    expect(await after.network.endAction(claimOf(claimed.job), actionEnd())).toBe(true);
    expect(await after.jobs.get(intoId, id)).toMatchObject({ status: "completed" });
  });

  test("the same account of a vendor does not send twice", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, merge } = world;
    const twin = { connector: "unipile", connectorSettings: { accountId: "a" }, name: "Ada" } as const;
    const [moved, stays] = [make.account(fromId, twin), make.account(intoId, twin)];
    await storage.network.insertAccount(moved);
    await storage.network.insertAccount(stays);
    const { pausedAccounts, after } = await merge();
    expect(pausedAccounts).toEqual([expect.stringMatching(/^Ada \(.+\)$/)]);
    expect(await after.network.account(intoId, moved.id)).toMatchObject({ state: "paused" });
    expect(await after.network.account(intoId, stays.id)).toMatchObject({ state: "active" });
  });

  test("a person on the do-not-contact list of either is on that of both", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, merge } = world;
    const [first, both] = ["first@example.com", "both@example.com"];
    await make.storedSuppression(storage, fromId, "email", first);
    await make.storedSuppression(storage, fromId, "email", both);
    const kept = await make.storedSuppression(storage, intoId, "email", both);
    const { merged, after } = await merge();
    expect(merged.doNotContact).toEqual({ moved: 1, united: 1 });
    expect(await after.suppressions.get(intoId, kept.id)).not.toBeNull();
    expect(await after.suppressions.count(intoId, {})).toBe(2);
    expect(await after.leads.insert(make.leadInsert(intoId, { email: first }))).toMatchObject({
      kind: "doNotContact",
    });
  });

  test("balances are added, and requests with one name stay apart", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, merge } = world;
    const { credits } = storage;
    for (const [id, amount] of [
      [fromId, 10],
      [intoId, 20],
    ] as const) {
      await credits.add(make.grant(id, { amount }));
      const reservation = make.reservation(id, { request: "same", amount: 2 });
      await credits.reserve(reservation);
      await credits.settle(make.settlement(reservation.id, { item: 2 }, { closes: true }));
    }
    const own = make.reservation(fromId, { request: "own", amount: 1 });
    await credits.reserve(own);
    const { credits: balances, after } = await merge();
    expect(balances).toEqual({ from: 7, into: 18 });
    expect(await after.credits.balance(intoId)).toBe(25);
    expect(await after.credits.reserved(intoId)).toBe(1);
    const filter = { workspaceId: intoId, kind: null, createdFrom: null, createdTo: null };
    const entries = await after.credits.page({ ...filter, after: null, limit: 50 });
    expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(25);
    // The reservation continues.
    const settled = await after.credits.settle(make.settlement(own.id, { item: 1 }, { closes: true }));
    expect(settled).toMatchObject({ kind: "settled" });
    expect(await after.credits.balance(intoId)).toBe(25);
  });

  test("prospects are copied, with what was paid and what became of them", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, merge } = world;
    const { prospects } = storage;
    const [ada, eve] = [made({ email: "ada@example.com", company: "Engines" }), made({ email: "eve@example.com" })];
    const stored = await prospects.put(fromId, [ada, eve], startOfTests - 50);
    const [kept] = await prospects.put(intoId, [made({ email: "ada@example.com", title: "Countess" })], startOfTests);
    const lead = await make.storedLead(storage, fromId);
    await prospects.setLead(fromId, stored[0]!.id, lead.id);
    const charge = { entryId: "e", workspaceId: fromId, request: "r", purpose: "search", keyId: null } as const;
    await storage.credits.add(make.grant(fromId));
    const payment = { kind: "charge", each: 1, charge: { ...charge, at: startOfTests } } as const;
    await prospects.reveal({ workspaceId: fromId, ids: [stored[0]!.id], freeSince: 0, payment });
    const { merged, after } = await merge();
    expect(merged.prospects).toEqual({ moved: 1, united: 1 });
    const found = await all(after, intoId);
    expect(new Set(found.map(({ email }) => email))).toEqual(new Set(["ada@example.com", "eve@example.com"]));
    expect(found).toHaveLength(2);
    expect(await after.prospects.get(intoId, kept!.id)).toMatchObject({
      ...{ title: "Countess", company: "Engines", leadId: lead.id, createdAt: startOfTests - 50 },
    });
    const other = found.find(({ id }) => id !== kept!.id)!;
    const unpaid = (id: string) => after.prospects.unpaid({ workspaceId: intoId, ids: [id], freeSince: 0 });
    expect([await unpaid(kept!.id), await unpaid(other.id)]).toEqual([0, 1]);
    expect(await all(after, intoId, { person: { title: ["Countess"] } })).toHaveLength(1);
    expect(await all(after, fromId)).toEqual([]);
  });

  test("members get their roles in the workspace that remains, with their keys", async () => {
    await using world = await arrange();
    const { storage, make, from, into, fromId, intoId, merge } = world;
    const key = make.key(fromId);
    await storage.keys.insert(key);
    const { merged, after } = await merge();
    expect(merged.members).toEqual({ moved: 1, united: 0 });
    expect(await after.workspaces.member(intoId, from.user.id)).toMatchObject({ member: { role: "admin" } });
    expect(await after.workspaces.member(intoId, into.user.id)).toMatchObject({ member: { role: "owner" } });
    expect(await after.keys.findByHash(key.hash)).toMatchObject({ workspaceId: intoId, userId: from.user.id });
    expect(await after.workspaces.get(fromId)).toBeNull();
    expect(await after.workspaces.ofUser(from.user.id)).toMatchObject([{ workspace: { id: intoId } }]);
  });

  test("it is one entry of the audit log, and earlier ones stay", async () => {
    await using world = await arrange();
    const { storage, fromId, intoId, merge } = world;
    await storage.audit.append(auditEntry(null, startOfTests, { action: "key.created", workspaceId: fromId }));
    const { after } = await merge();
    const filter = { workspaceId: intoId };
    expect(await after.audit.page({ filter, before: null, limit: 10 })).toMatchObject([
      { action: "workspace.merged", targetId: fromId },
    ]);
    expect(await after.audit.count({ workspaceId: fromId })).toBe(1);
    expect(await after.audit.check(null, 100)).toMatchObject({ brokenAt: null });
  });

  test("a dry run reports the same, and changes nothing", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, merge } = world;
    for (const id of [fromId, intoId]) await make.storedLead(storage, id, { email: "ada@example.com" });
    await make.storedLead(storage, fromId);
    await storage.prospects.put(fromId, [made({ email: "ada@example.com" })], startOfTests);
    const { after, ...shown } = await merge({ dryRun: true });
    expect(shown.merged.prospects).toEqual({ moved: 1, united: 0 });
    expect(await after.leads.count(fromId, {})).toBe(2);
    expect(await all(after, fromId)).toHaveLength(1);
    expect(await after.audit.count({ workspaceId: intoId })).toBe(0);
    expect(await merge()).toMatchObject(shown);
  });

  test("it is refused while jobs of either have not ended", async () => {
    await using world = await arrange();
    const { storage, make, fromId, intoId, request } = world;
    const job = await make.storedJob(storage, intoId);
    await make.storedJob(storage, fromId, { status: "completed", completedAt: startOfTests });
    expect(await storage.merges.merge(request())).toEqual({ kind: "busy", jobs: 1 });
    expect(await storage.workspaces.get(fromId)).not.toBeNull();
    await storage.jobs.cancel(intoId, job.id, startOfTests);
    expect(await storage.merges.merge(request())).toMatchObject({ kind: "merged" });
    expect(await storage.merges.merge(request())).toEqual({ kind: "absent", id: fromId });
  });

  test("a third workspace stays as it is", async () => {
    await using world = await arrange();
    const { storage, make, fromId, merge } = world;
    const { workspace, account } = await make.storedUser(storage);
    const lead = await make.storedLead(storage, workspace.id, { email: "ada@example.com", tags: ["a"] });
    await make.storedLead(storage, fromId, { email: "ada@example.com" });
    await make.storedSuppression(storage, workspace.id, "email", "eve@example.com");
    await storage.prospects.put(workspace.id, [made({ email: "p@example.com" })], startOfTests);
    const { after } = await merge();
    expect(await after.leads.get(workspace.id, lead.id)).toEqual(lead);
    expect(await after.leads.count(workspace.id, { tag: "a" })).toBe(1);
    expect(await after.network.account(workspace.id, account.id)).not.toBeNull();
    expect(await all(after, workspace.id)).toHaveLength(1);
    expect(await after.suppressions.count(workspace.id, {})).toBe(1);
  });
});
