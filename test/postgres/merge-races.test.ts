import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { createCreditStore } from "../../src/adapters/storage/postgres/credits.ts";
import { DirectoryIndex } from "../../src/adapters/storage/postgres/directory/directory-index.ts";
import { createProspectStore } from "../../src/adapters/storage/postgres/directory/prospects.ts";
import type { Engine } from "../../src/adapters/storage/postgres/engine.ts";
import { createJobStore } from "../../src/adapters/storage/postgres/jobs.ts";
import { createLeadStore } from "../../src/adapters/storage/postgres/leads.ts";
import { createActionJobs } from "../../src/adapters/storage/postgres/network-jobs.ts";
import { createNetworkStore } from "../../src/adapters/storage/postgres/network.ts";
import { leadKeys, leads } from "../../src/adapters/storage/postgres/tables.ts";
import { createWorkspaceMerge } from "../../src/adapters/storage/postgres/workspace-merge/workspace-merge.ts";
import { stopped } from "../../src/features/campaigns/decisions.ts";
import { untouched, type Enrollment } from "../../src/features/campaigns/model.ts";
import type { MergeOutcome } from "../../src/features/workspaces/merge/model.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { actionEnd, alwaysOpen, claimOf, leadOf } from "../support/factories.ts";
import { openNodes } from "../support/postgres-nodes.ts";
import { all, made } from "../support/prospect-rows.ts";

const minute = 60_000;
const claim = { now: startOfTests, limit: 10, leaseUntil: startOfTests + minute };

/** Two nodes, and the workspaces that are merged. */
async function arrange() {
  const nodes = await openNodes();
  const { first, second, make, engine, workspaceId: from } = nodes;
  const into = (await make.storedUser(second)).workspace.id;
  const owner = (await first.leads.ownerNumber(from))!;
  const audit = auditEntry(null, startOfTests, { action: "workspace.merged", workspaceId: into });
  const request = { from, into, at: startOfTests, dryRun: false, audit };
  const mergeOn = (on: Engine) => createWorkspaceMerge(on, new DirectoryIndex(on)).merge(request);

  /** Tables in which something still belongs to the workspace that is gone. */
  async function leftovers(): Promise<string[]> {
    const columns = await engine.orm.execute<{ name: string; column: string }>(sql`
      SELECT table_name AS name, column_name AS column FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name IN ('owner', 'workspace_id') AND table_name <> 'audit_log'`);
    const left: string[] = [];
    for (const { name, column } of columns) {
      const value = column === "owner" ? owner : from;
      const isOf = sql`${sql.identifier(column)} = ${value}`;
      const rows = await engine.orm.execute(sql`SELECT 1 FROM ${sql.identifier(name)} WHERE ${isOf} LIMIT 1`);
      if (rows.length > 0) left.push(name);
    }
    return left;
  }

  return {
    ...{ ...nodes, from, into, owner, mergeOn, leftovers },
    merge: () => second.merges.merge(request),
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
}

test("a lead that another node is about to store moves too", async () => {
  await using world = await arrange();
  const { make, from, into, whileOpen, merge, second, engine, leftovers } = world;
  const insert = make.leadInsert(from, { email: "ada@example.com" });
  const outcome = await whileOpen((on) => createLeadStore(on).insert(insert), merge);
  expect(outcome).toMatchObject({ kind: "merged", report: { merged: { leads: { moved: 1, united: 0 } } } });
  expect(await second.leads.findSame(into, insert.identity, null)).toMatchObject({ id: insert.lead.id });
  expect(await second.leads.count(into, {})).toBe(1);
  expect(await leftovers()).toEqual([]);
  const ofLead = await engine.orm.select().from(leadKeys).innerJoin(leads, eq(leads.seq, leadKeys.lead));
  expect(new Set(ofLead.map(({ leads: { id } }) => id))).toEqual(new Set([insert.lead.id]));
});

test("a lead that arrives during a merge is refused, and leaves nothing", async () => {
  await using world = await arrange();
  const { make, from, into, whileOpen, mergeOn, second, leftovers } = world;
  const insert = make.leadInsert(from);
  const refusal = await whileOpen(mergeOn, () => second.leads.insert(insert).then(() => null, String));
  expect(refusal).toContain("insert into");
  expect(await second.leads.count(into, {})).toBe(0);
  expect(await leftovers()).toEqual([]);
});

test("a lead that is being changed during a merge is gone for its workspace", async () => {
  await using world = await arrange();
  const { make, from, into, whileOpen, mergeOn, second, leftovers } = world;
  const stored = await make.storedLead(second, from, { tags: ["a"] });
  const update = make.leadUpdate(stored, { title: "CTO", tags: ["b"] });
  expect(await whileOpen(mergeOn, () => second.leads.update(update))).toEqual({ kind: "absent" });
  expect(await second.leads.get(into, stored.id)).toMatchObject({ title: null, tags: ["a"] });
  expect(await leftovers()).toEqual([]);
});

test("a merge waits for an action that is being claimed, whose outcome is stored afterwards", async () => {
  await using world = await arrange();
  const { make, from, into, whileOpen, merge, first, second, leftovers } = world;
  const account = make.account(from, { workingHours: alwaysOpen });
  await first.network.insertAccount(account);
  const { id } = await make.scheduledJob(first, account);
  const claims: Awaited<ReturnType<typeof first.network.claimDue>>[] = [];
  const outcome = await whileOpen(async (on) => claims.push(await createNetworkStore(on).claimDue(claim)), merge);
  expect(outcome).toMatchObject({ kind: "merged" });
  expect(await first.network.endAction(claimOf(claims[0]!.due[0]!.job), actionEnd())).toBe(true);
  expect(await second.network.action(into, id)).toMatchObject({
    action: { state: "completed", workspaceId: into },
    job: { status: "completed", workspaceId: into },
  });
  expect(await leftovers()).toEqual([]);
});

test("an action that a node wants to claim during a merge is claimed once, under the other list of objections", async () => {
  await using world = await arrange();
  const { make, from, into, whileOpen, mergeOn, first, second, leftovers } = world;
  const account = make.account(from, { workingHours: alwaysOpen });
  await first.network.insertAccount(account);
  const profileUrl = "https://network.example/in/ada";
  const { id } = await make.scheduledJob(first, account, { action: { profileUrl } });
  // The node has locked the list of the workspace that is gone.
  const { due } = await whileOpen(mergeOn, () => second.network.claimDue(claim));
  expect(due).toEqual([]);
  expect(await second.network.claimDue(claim)).toMatchObject({ due: [{ job: { id, workspaceId: into } }] });
  expect(await leftovers()).toEqual([]);
});

test("a job that another node is about to add refuses the merge", async () => {
  await using world = await arrange();
  const { make, from, whileOpen, merge, second } = world;
  const insert = (on: Engine) => createJobStore(on, createActionJobs(on)).insert(make.job(from));
  expect(await whileOpen(insert, merge)).toEqual({ kind: "busy", jobs: 1 });
  expect(await second.workspaces.get(from)).not.toBeNull();
});

test("a prospect that is being stored moves too", async () => {
  await using world = await arrange();
  const { from, into, whileOpen, merge, second, leftovers } = world;
  const person = made({ email: "ada@example.com" });
  const put = (on: Engine) => createProspectStore(on, new DirectoryIndex(on)).put(from, [person], startOfTests);
  expect(await whileOpen(put, merge)).toMatchObject({ kind: "merged" });
  expect(await all(second, into)).toMatchObject([{ email: "ada@example.com" }]);
  expect(await leftovers()).toEqual([]);
});

test("credits that are being granted are part of the balance", async () => {
  await using world = await arrange();
  const { make, from, into, whileOpen, merge, second, leftovers } = world;
  const grant = make.grant(from, { amount: 7 });
  expect(await whileOpen((on) => createCreditStore(on).add(grant), merge)).toMatchObject({ kind: "merged" });
  expect(await second.credits.balance(into)).toBe(7);
  expect(await leftovers()).toEqual([]);
});

test("a step of a campaign that was decided before a merge is decided anew", async () => {
  await using world = await arrange();
  const { make, from, into, first, second, merge } = world;
  const account = make.account(from, { workingHours: alwaysOpen });
  await first.network.insertAccount(account);
  const networkUrl = "https://network.example/in/ada";
  const lead = await make.storedLead(first, from, { networkUrl });
  const times = { createdAt: startOfTests, updatedAt: startOfTests };
  await first.campaigns.insert({
    ...{
      id: "c",
      workspaceId: from,
      name: "Spring",
      state: "running",
      accountIds: [account.id],
      winners: {},
      version: 1,
      firstStep: 0,
      startedAt: null,
    },
    steps: [{ type: "action", actionType: "visitProfile" }],
    settings: { stopOnReply: true, excludeOtherCampaigns: false, excludeContactedDays: null, allowOverlap: false },
    ...times,
  });
  const enrollment: Enrollment = {
    ...{ id: "e", campaignId: "c", workspaceId: from, leadId: lead.id, accountId: account.id, profileKey: networkUrl },
    ...{ state: "active", reason: null, atStep: 0, sinceAt: startOfTests, wakeAt: startOfTests, jobId: null },
    ...{ connectedAt: null, repliedAt: null, ...untouched, version: 1, ...times },
  };
  expect(await first.campaigns.enroll([enrollment], false, startOfTests)).toEqual([null]);
  const [due] = await first.campaigns.due(startOfTests, 10);
  expect(await merge()).toMatchObject({ kind: "merged" });
  // The account is no longer one of the workspace that the node knew.
  expect(await first.campaigns.move(due!.enrollment, stopped("accountGone", startOfTests), null)).toBeNull();
  const [dueAgain] = await second.campaigns.due(startOfTests, 10);
  expect(dueAgain!.enrollment).toMatchObject({ id: "e", workspaceId: into, state: "active" });
  expect(await second.campaigns.move(dueAgain!.enrollment, stopped("done", startOfTests), null)).not.toBeNull();
});

test("what two nodes acknowledge while a merge runs is there afterwards, and nothing is left behind", async () => {
  await using world = await arrange();
  const { make, from, into, either, merge, second, leftovers } = world;
  for (let n = 0; n < 20; n++) await make.storedLead(second, from, { email: `p${n}@example.com` });
  const isAcknowledged = (done: Promise<unknown>) => done.then(() => true, () => false); // prettier-ignore
  const writes: Promise<boolean>[][] = [];
  let outcome: MergeOutcome | null = null;
  let ended = Promise.resolve();
  for (let n = 0; outcome === null; n++) {
    if (n === 5) ended = merge().then((result) => void (outcome = result));
    const insert = make.leadInsert(from, { email: `p${20 + n}@example.com` }, "error");
    const lead = either(n).leads.insert(insert).then(leadOf);
    const grant = either(n + 1).credits.add(make.grant(from, { amount: 1 }));
    const put = either(n).prospects.put(from, [made({ email: `p${n}@example.com` })], startOfTests);
    const entry = make.suppression(from, "email", `never${n}@example.com`);
    const round = [lead, grant, put, either(n + 1).suppressions.add([entry])].map(isAcknowledged);
    writes.push(round);
    await round[n % 4];
  }
  await ended;
  expect(outcome).toMatchObject({ kind: "merged" });
  const results = await Promise.all(writes.map((round) => Promise.all(round)));
  const count = (kind: number) => results.filter((round) => round[kind]).length;
  expect(await second.leads.count(into, {})).toBe(20 + count(0));
  expect(await second.credits.balance(into)).toBe(count(1));
  expect(await all(second, into)).toHaveLength(count(2));
  expect(await second.suppressions.count(into, {})).toBe(count(3));
  expect(await leftovers()).toEqual([]);
  expect([0, 1, 2, 3].map(count)).not.toContain(0);
  expect(await isAcknowledged(second.leads.insert(make.leadInsert(from)))).toBe(false);
});
