import { describe, expect, test } from "bun:test";
import { createCampaignStore } from "../../src/adapters/storage/postgres/campaigns.ts";
import { DirectoryIndex } from "../../src/adapters/storage/postgres/directory/directory-index.ts";
import { createProspectStore } from "../../src/adapters/storage/postgres/directory/prospects.ts";
import type { Engine } from "../../src/adapters/storage/postgres/engine.ts";
import { EventLog } from "../../src/adapters/storage/postgres/event-log.ts";
import { createLeadStore } from "../../src/adapters/storage/postgres/leads.ts";
import { createNetworkStore } from "../../src/adapters/storage/postgres/network.ts";
import { createPersonStore } from "../../src/adapters/storage/postgres/privacy/person-store.ts";
import { createWebhookQueue } from "../../src/adapters/storage/postgres/webhook-queue.ts";
import { untouched, type Campaign, type Enrollment } from "../../src/features/campaigns/model.ts";
import type { Lead } from "../../src/features/leads/model.ts";
import type { PersonIdentity, PersonRecord, PersonScope } from "../../src/features/privacy/model.ts";
import { prospectContent } from "../../src/features/prospecting/content.ts";
import type { Settlement } from "../../src/features/webhooks/change-model.ts";
import type { Endpoint } from "../../src/features/webhooks/model.ts";
import { startOfTests } from "../support/clock.ts";
import { alwaysOpen, leadOf } from "../support/factories.ts";
import { openNodes, type Nodes } from "../support/postgres-nodes.ts";

const team: PersonScope = { workspaceId: null };
const email = "ada@example.com";
const profile = "https://network.example/in/ada";
const minute = 60_000;

describe("who is erased", () => {
  test("while another node changes their lead is gone", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const lead = await make.storedLead(first, workspaceId, { email });
    const { identity, records } = await found(nodes);
    const { erased } = await nodes.whileOpen(
      (engine) => createLeadStore(engine).update(make.leadUpdate(lead, { notes: "Met her" })),
      () => second.persons.erase(identity, records, startOfTests),
    );
    expect(erased).toMatchObject({ leads: 1 });
    expect(await first.leads.get(workspaceId, lead.id)).toBeNull();
  });

  test("is not brought back by a change of their lead that waits for the erasure", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const lead = await make.storedLead(first, workspaceId, { email });
    const { identity, records } = await found(nodes);
    const changed = await nodes.whileOpen(eraseOn(identity, records), () =>
      second.leads.update(make.leadUpdate(lead, { notes: "Met her" })),
    );
    expect(changed.kind).toBe("absent");
    expect(await first.leads.get(workspaceId, lead.id)).toBeNull();
  });

  test("is enrolled by no other node at the same time", async () => {
    await using nodes = await openNodes();
    const { second } = nodes;
    const { enrollment, identity, records } = await toBeEnrolled(nodes);
    const refusals = await nodes.whileOpen(eraseOn(identity, records), () =>
      second.campaigns.enroll([enrollment], false, startOfTests),
    );
    expect(refusals).toEqual(["leadGone"]);
  });

  test("is erased from a campaign that another node enrolls them in", async () => {
    await using nodes = await openNodes();
    const { second } = nodes;
    const { enrollment, identity, records } = await toBeEnrolled(nodes);
    await nodes.whileOpen(
      (engine) => createCampaignStore(engine).enroll([enrollment], false, startOfTests),
      () => second.persons.erase(identity, records, startOfTests),
    );
    await eraseAll(nodes, identity);
    const enrollments = await nodes.first.campaigns.enrollments(nodes.workspaceId, enrollment.campaignId, {}, null, 9);
    expect(enrollments).toMatchObject([{ state: "stopped", reason: "leadGone", profileKey: "erased" }]);
  });

  test("is erased from an action only once a node that claims it has sent it", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const account = make.account(workspaceId, { workingHours: alwaysOpen });
    await first.network.insertAccount(account);
    const job = await make.scheduledJob(first, account, { action: { profileUrl: profile } });
    const identity = { ...noOne, profiles: [profile] };
    const records = await recordsOf(nodes, identity);
    const result = await nodes.whileOpen(
      (engine) =>
        createNetworkStore(engine).claimDue({ now: startOfTests, limit: 1, leaseUntil: startOfTests + minute }),
      () => second.persons.erase(identity, records, startOfTests),
    );
    expect(result).toEqual({ erased: {}, inProgress: 1 });
    expect(await first.network.action(workspaceId, job.id)).toMatchObject({
      action: { state: "sending", profileUrl: profile },
    });
  });

  test("is erased with the record that theirs is merged into meanwhile", async () => {
    await using nodes = await openNodes();
    const { first, second, workspaceId } = nodes;
    await first.prospects.put(workspaceId, [personWith({ email }), personWith({ networkUrl: profile })], startOfTests);
    const identity = (await first.persons.identify(team, { email: null, profile, leadId: null }, false))!;
    const records = await recordsOf(nodes, identity);
    const { erased } = await nodes.whileOpen(
      (engine) =>
        createProspectStore(engine, new DirectoryIndex(engine)).put(
          workspaceId,
          [personWith({ email, networkUrl: profile })],
          startOfTests,
        ),
      () => second.persons.erase(identity, records, startOfTests),
    );
    expect(erased).toEqual({ prospects: 1 });
    expect(await first.prospects.findPerson(workspaceId, { email, network: profile, name: null })).toBeNull();
  });

  test.each(["before", "after"])("is quoted by no delivery that is settled right %s the erasure", async (order) => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const endpoint = endpointOf(nodes);
    await first.webhooks.insert(endpoint, 9);
    await make.storedLead(first, workspaceId, { email: "bob@example.com" });
    while (((await first.webhooks.fanOut(startOfTests, 9)) ?? 0) > 0);
    const [due] = await first.webhooks.due(endpoint.id, startOfTests, 1);
    const settlement = failureOf(endpoint, due!.event.id, `${email} is not welcome`);
    await first.webhooks.settle([settlement]);
    const identity = { ...noOne, emails: [email] };
    const records = await recordsOf(nodes, identity);
    expect(records).toMatchObject([{ place: "deliveries", isOwn: false }]);
    const another = {
      ...settlement,
      attempt: { ...settlement.attempt, at: startOfTests + 1, response: "Bad gateway" },
    };
    if (order === "after") await nodes.whileOpen(eraseOn(identity, records), () => second.webhooks.settle([another]));
    else
      await nodes.whileOpen(
        (engine) => createWebhookQueue(engine, new EventLog(engine)).settle([another]),
        () => second.persons.erase(identity, records, startOfTests),
      );
    const delivery = await first.webhooks.delivery(workspaceId, endpoint.id, due!.event.id);
    expect(delivery?.attempts.map(({ response }) => response)).toEqual(["[erased] is not welcome", "Bad gateway"]);
  });

  test("and on the do-not-contact list is nowhere, however many requests add them meanwhile", async () => {
    await using nodes = await openNodes();
    const { first, make, workspaceId } = nodes;
    const adding = Array.from({ length: 40 }, async (_, n) => {
      const { leads } = nodes.either(n);
      const outcome = await leads.insert(make.leadInsert(workspaceId, { email, notes: `${n}` }, "create"));
      if (outcome.kind === "doNotContact") return;
      const lead = leadOf(outcome);
      await leads.update(make.leadUpdate(lead, { title: "Countess" }));
    });
    const entry = { ...make.suppression(workspaceId, "email", email), value: null };
    const identity = { ...noOne, emails: [email] };
    const erasing = (async () => {
      await first.persons.suppress([entry]);
      const { leadIds } = (await first.persons.identify(team, { email, profile: null, leadId: null }, true))!;
      await eraseAll(nodes, { ...identity, leadIds });
    })();
    await Promise.all([...adding, erasing]);
    const left = (await first.persons.identify(team, { email, profile: null, leadId: null }, true))!;
    expect(left.leadIds).toEqual([]);
    expect(await first.leads.count(workspaceId, {})).toBe(0);
    expect((await recordsOf(nodes, left)).map(({ place }) => place)).toEqual(["suppressions"]);
  });
});

const noOne: PersonIdentity = { emails: [], profiles: [], phones: [], leadIds: [], prospects: [] };

const eraseOn = (identity: PersonIdentity, records: readonly PersonRecord[]) => (engine: Engine) =>
  createPersonStore(engine, new DirectoryIndex(engine)).erase(identity, records, startOfTests);

async function found(nodes: Nodes): Promise<{ identity: PersonIdentity; records: PersonRecord[] }> {
  const identity = (await nodes.first.persons.identify(team, { email, profile: null, leadId: null }, true))!;
  const records = await recordsOf(nodes, identity);
  return { identity, records: records.filter(({ place }) => place === "leads") };
}

async function recordsOf({ first }: Nodes, identity: PersonIdentity): Promise<PersonRecord[]> {
  const records: PersonRecord[] = [];
  for await (const page of first.persons.records(team, identity)) records.push(...page);
  return records;
}

/** As the job does. */
async function eraseAll({ second }: Nodes, identity: PersonIdentity): Promise<void> {
  for (let changed = -1; changed !== 0;) {
    changed = 0;
    for await (const page of second.persons.records(team, identity)) {
      const { erased } = await second.persons.erase(identity, page, startOfTests);
      changed += Object.values(erased).reduce((sum, count) => sum + count, 0);
    }
  }
}

function personWith(draft: Parameters<typeof prospectContent>[0]) {
  const checked = prospectContent(draft);
  if ("errors" in checked) throw new Error(JSON.stringify(checked.errors));
  return checked;
}

/** A lead of the person who is to be erased, and an enrollment of it in a stored campaign that is not stored yet. */
async function toBeEnrolled(nodes: Nodes) {
  const { first, make, workspaceId } = nodes;
  const lead = await make.storedLead(first, workspaceId, { email });
  const campaign = campaignOf(nodes);
  await first.campaigns.insert(campaign);
  return { enrollment: enrollmentOf(nodes, campaign, lead), ...(await found(nodes)) };
}

function campaignOf({ make, workspaceId }: Nodes): Campaign {
  return {
    ...{ id: make.ids.next(startOfTests), workspaceId, name: "Spring", state: "draft", accountIds: [] },
    steps: [{ type: "action", actionType: "visitProfile" }],
    settings: { stopOnReply: true, excludeOtherCampaigns: false, excludeContactedDays: null, allowOverlap: false },
    ...{ winners: {}, version: 1, firstStep: 0, startedAt: null, createdAt: startOfTests, updatedAt: startOfTests },
  };
}

function enrollmentOf({ make }: Nodes, { id: campaignId, workspaceId }: Campaign, { id: leadId }: Lead): Enrollment {
  return {
    ...{ id: make.ids.next(startOfTests), campaignId, workspaceId, leadId, accountId: "account", profileKey: profile },
    ...{ state: "active", reason: null, atStep: 0, sinceAt: startOfTests, wakeAt: null, jobId: null },
    ...{
      connectedAt: null,
      repliedAt: null,
      ...untouched,
      version: 1,
      createdAt: startOfTests,
      updatedAt: startOfTests,
    },
  };
}

function endpointOf({ make, workspaceId }: Nodes): Endpoint {
  return {
    ...{ id: make.ids.next(startOfTests), workspaceId, url: "https://crm.example.com/hooks", description: null },
    ...{ types: null, isEnabled: true, disabledAt: null, disabledReason: null, secret: "whsec_", oldSecret: null },
    ...{ oldSecretUntil: null, failures: 0, failingSince: null, lastSuccessAt: null, lastFailureAt: null },
    ...{ createdAt: startOfTests, updatedAt: startOfTests },
  };
}

function failureOf({ id: endpointId }: Endpoint, eventId: number, response: string): Settlement {
  const attempt = { at: startOfTests, status: 502, latencyMs: 5, error: "status 502", response };
  const rest = { nextAt: startOfTests + minute, backoffUntil: 0, disableReason: null };
  return { endpointId, eventId, attempt, isOnDemand: false, state: "pending", ...rest };
}
