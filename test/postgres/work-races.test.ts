import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { createCampaignStore } from "../../src/adapters/storage/postgres/campaigns.ts";
import { createCreditStore } from "../../src/adapters/storage/postgres/credits.ts";
import { forgetResults, writeResults } from "../../src/adapters/storage/postgres/enrichment-results.ts";
import { enrichmentResults } from "../../src/adapters/storage/postgres/enrichment-tables.ts";
import { events } from "../../src/adapters/storage/postgres/tables.ts";
import { createVoiceStore } from "../../src/adapters/storage/postgres/voices.ts";
import { untouched, type Campaign, type Enrollment } from "../../src/features/campaigns/model.ts";
import type { StoredBatch } from "../../src/features/enrichment/change-model.ts";
import type { NewClone } from "../../src/features/voice/change-model.ts";
import { defaultVoiceSettings } from "../../src/features/voice/model.ts";
import { startOfTests } from "../support/clock.ts";
import { alwaysOpen, claimOf } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";
import { openNodes, type Nodes } from "../support/postgres-nodes.ts";

describe("credits on two nodes", () => {
  test("the last credit is spent by one of two that want it", async () => {
    await using nodes = await openNodes();
    const { second, make, workspaceId } = nodes;
    await second.credits.add(make.grant(workspaceId, { amount: 1 }));
    const outcome = await nodes.whileOpen(
      (engine) => createCreditStore(engine).reserve(make.reservation(workspaceId)),
      () => second.credits.reserve(make.reservation(workspaceId)),
    );
    expect(outcome).toEqual({ kind: "exhausted", by: "balance", remaining: 0, required: 1 });
    expect(await second.credits.balance(workspaceId)).toBe(0);
  });

  test("the first credits of a workspace are spent once, too", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const grants = Array.from({ length: 6 }, (_, n) =>
      nodes.either(n).credits.add(make.grant(workspaceId, { amount: 1 })),
    );
    const spent = await Promise.all(
      Array.from({ length: 20 }, (_, n) => nodes.either(n).credits.reserve(make.reservation(workspaceId))),
    );
    await Promise.all(grants);
    const reserved = spent.filter(({ kind }) => kind === "reserved").length;
    expect(await first.credits.balance(workspaceId)).toBe(6 - reserved);
    expect(await second.credits.reserved(workspaceId)).toBe(reserved);
  });

  test("a reservation that both release is released once", async () => {
    await using nodes = await openNodes();
    const { second, make, workspaceId } = nodes;
    await second.credits.add(make.grant(workspaceId, { amount: 10 }));
    const reserved = await second.credits.reserve(make.reservation(workspaceId, { amount: 7 }));
    if (reserved.kind !== "reserved") throw new Error("Expected a reservation");
    const release = () => make.settlement(reserved.id, { "0": 2 }, { closes: true });
    const outcome = await nodes.whileOpen(
      (engine) => createCreditStore(engine).settle(release()),
      () => second.credits.settle(release()),
    );
    expect(outcome).toEqual({ kind: "void" });
    expect(await second.credits.balance(workspaceId)).toBe(8);
  });

  test("the budget of a key is one, whichever workspaces it spends in", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const other = (await make.storedUser(first)).user.id;
    for (const id of [workspaceId, other]) await first.credits.add(make.grant(id));
    const key = make.key(null);
    await first.keys.insert(key);
    const keyId = key.id;
    await first.credits.setBudget(keyId, 5, "admin");
    const outcome = await nodes.whileOpen(
      (engine) => createCreditStore(engine).reserve(make.reservation(workspaceId, { keyId, amount: 3 })),
      () => second.credits.reserve(make.reservation(other, { keyId, amount: 3 })),
    );
    expect(outcome).toEqual({ kind: "exhausted", by: "budget", remaining: 2, required: 3 });
  });

  test("a budget that its owner sets while an admin does stays below the admin's", async () => {
    await using nodes = await openNodes();
    const { second, make } = nodes;
    const key = make.key(null);
    await second.keys.insert(key);
    const keyId = key.id;
    const outcome = await nodes.whileOpen(
      (engine) => createCreditStore(engine).setBudget(keyId, 5, "admin"),
      () => second.credits.setBudget(keyId, 6, "owner"),
    );
    expect(outcome).toEqual({ kind: "beyond", ceiling: 5 });
  });

  test("grants that both add are added once, whatever their order", async () => {
    await using nodes = await openNodes();
    const { make } = nodes;
    const users: string[] = [];
    for (let n = 0; n < 8; n++) users.push((await make.storedUser(nodes.first)).user.id);
    const grants = () => users.map((id) => make.grant(id, { request: "monthly:1", item: "grant", amount: 5 }));
    const added = await Promise.all(
      Array.from({ length: 6 }, (_, n) => nodes.either(n).credits.addOnce(n < 3 ? grants() : grants().toReversed())),
    );
    expect(added.reduce((sum, n) => sum + n, 0)).toBe(8);
    for (const id of users) expect(await nodes.first.credits.balance(id)).toBe(5);
  });

  test("the balance is the sum of the ledger after any mix of both, and never below zero", async () => {
    await using nodes = await openNodes();
    const { first, make, workspaceId } = nodes;
    await first.credits.add(make.grant(workspaceId, { amount: 120 }));
    const dice = createDice(7);
    const open: string[] = [];
    for (let round = 0; round < 12; round++) {
      const work = Array.from({ length: 10 }, async (_, n) => {
        const { credits } = nodes.either(n);
        const id = open.length > 0 && dice.chance(0.5) ? open[dice.below(open.length)]! : null;
        if (id !== null) {
          const settlement = make.settlement(id, { [`${dice.below(3)}`]: 1 }, { closes: dice.chance(0.4) });
          // More than is held can't be settled, which is not what this test is about.
          await credits.settle(settlement).catch((error: Error) => expect(error.message).toContain("at most"));
        } else if (dice.chance(0.3))
          await credits.charge(make.charge(workspaceId, { amount: dice.between(0, 9), request: `page-${round}` }));
        else if (dice.chance(0.2))
          await credits.adjust(make.grant(workspaceId, { kind: "adjust", amount: dice.between(-9, 9) }));
        else {
          const outcome = await credits.reserve(make.reservation(workspaceId, { amount: dice.between(0, 9) }));
          if (outcome.kind === "reserved") open.push(outcome.id);
        }
      });
      await Promise.all(work);
      expect(await first.credits.balance(workspaceId)).toBeGreaterThanOrEqual(0);
    }
    const entries = await first.credits.page({
      ...{ workspaceId, kind: null, createdFrom: null, createdTo: null, limit: 10_000, after: null },
    });
    const sumOf = (found: typeof entries) => found.reduce((sum, { amount }) => sum + amount, 0);
    expect(entries.length).toBeGreaterThan(50);
    expect(sumOf(entries)).toBe(await first.credits.balance(workspaceId));
    const held = entries.filter(({ kind }) => kind === "reserve" || kind === "release");
    expect(-sumOf(held)).toBe(await first.credits.reserved(workspaceId));
  });
});

describe("campaigns on two nodes", () => {
  test("enroll a lead once, whoever is first", async () => {
    await using nodes = await openNodes();
    const { first, campaign, enrollmentOf } = await createCampaign(nodes);
    const { make, workspaceId } = nodes;
    const leads = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        make.storedLead(first, workspaceId, { networkUrl: `https://network.example/in/p${n}` }),
      ),
    );
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, n) => {
        const batch = leads.map(({ id }) => enrollmentOf(id, campaign));
        return nodes.either(n).campaigns.enroll(n % 3 === 0 ? batch.toReversed() : batch, false, startOfTests);
      }),
    );
    expect(outcomes.flat().filter((refusal) => refusal === null)).toHaveLength(5);
    expect(new Set(outcomes.flat())).toEqual(new Set([null, "alreadyEnrolled"]));
  });

  test("don't enroll a lead that another one is about to enroll, if they leave it out", async () => {
    await using nodes = await openNodes();
    const { first, campaign, campaignOf, enrollmentOf } = await createCampaign(nodes);
    const { second, make, workspaceId } = nodes;
    const other = campaignOf({ excludeOtherCampaigns: true });
    await first.campaigns.insert(other);
    const { id } = await make.storedLead(first, workspaceId, { networkUrl: "https://network.example/in/ada" });
    const outcome = await nodes.whileOpen(
      (engine) => createCampaignStore(engine).enroll([enrollmentOf(id, campaign)], false, startOfTests),
      () => second.campaigns.enroll([enrollmentOf(id, other)], false, startOfTests),
    );
    expect(outcome).toEqual(["inOtherCampaign"]);
  });

  test("complete when their last two enrollments end at the same time", async () => {
    await using nodes = await openNodes();
    const { campaign, enrolled } = await createCampaign(nodes);
    const [one, other] = [await enrolled(campaign), await enrolled(campaign)];
    const end = { state: "completed", wakeAt: null, updatedAt: startOfTests } as const;
    await nodes.whileOpen(
      (engine) => createCampaignStore(engine).move(one, end, null),
      () => nodes.second.campaigns.move(other, end, null),
    );
    const completed = await nodes.engine.orm.select().from(events).where(eq(events.type, "campaign.completed"));
    expect(completed).toHaveLength(1);
  });

  test("are paused behind a move that is being made, and withdraw its action", async () => {
    await using nodes = await openNodes();
    const { campaign, enrolled, stepOf } = await createCampaign(nodes);
    const { second, workspaceId } = nodes;
    const { enrollment, change, request } = stepOf(await enrolled(campaign));
    await nodes.whileOpen(
      (engine) => createCampaignStore(engine).move(enrollment, change, request),
      () =>
        second.campaigns.update(workspaceId, campaign.id, ["running"], { state: "paused", updatedAt: startOfTests }),
    );
    expect(await second.campaigns.withdrawActions(campaign.id, 10, startOfTests)).toBe(1);
    const found = await second.network.action(workspaceId, request.job.id);
    expect(found?.action.state).toBe("canceled");
  });

  test("move an enrollment once", async () => {
    await using nodes = await openNodes();
    const { campaign, enrolled, stepOf } = await createCampaign(nodes);
    const enrollment = await enrolled(campaign);
    const moves = await Promise.all(
      Array.from({ length: 6 }, (_, n) => {
        const { change, request } = stepOf(enrollment);
        return nodes.either(n).campaigns.move(enrollment, change, request);
      }),
    );
    expect(moves.filter((outcome) => outcome?.kind === "scheduled")).toHaveLength(1);
    expect(moves.filter((outcome) => outcome === null)).toHaveLength(5);
  });

  test("leave nothing in the queue that was scheduled while they were paused", async () => {
    await using nodes = await openNodes();
    const { campaign, enrolled, stepOf } = await createCampaign(nodes);
    const { first, second, workspaceId } = nodes;
    const steps = [];
    for (let n = 0; n < 8; n++) steps.push(stepOf(await enrolled(campaign)));
    const moving = steps.map(({ enrollment, change, request }) => first.campaigns.move(enrollment, change, request));
    const paused = { state: "paused", updatedAt: startOfTests } as const;
    await second.campaigns.update(workspaceId, campaign.id, ["running"], paused);
    while ((await second.campaigns.withdrawActions(campaign.id, 3, startOfTests)) > 0);
    await Promise.all(moving);
    for (const { request } of steps) {
      const found = await second.network.action(workspaceId, request.job.id);
      expect(found?.action.state ?? "canceled").toBe("canceled");
    }
  });

  test("stop an enrollment that gets news at the same time", async () => {
    await using nodes = await openNodes();
    const { campaign, enrolled, account } = await createCampaign(nodes);
    const { first, second, workspaceId } = nodes;
    for (let n = 0; n < 5; n++) {
      const { id, profileKey } = await enrolled(campaign);
      const news = { profileKey, kind: "replied", at: startOfTests } as const;
      const [stopped] = await Promise.all([
        first.campaigns.stop(workspaceId, campaign.id, id, "byHand", startOfTests),
        second.network.noteNews(account.id, [news], startOfTests),
      ]);
      expect(stopped).toMatchObject({ id, state: "stopped", reason: "byHand" });
    }
  });
});

test("two requests that enrich the same person at the same time pay once", async () => {
  await using nodes = await openNodes();
  const { first, make, workspaceId } = nodes;
  await first.credits.add(make.grant(workspaceId, { amount: 100 }));
  const answers = await Promise.all(
    Array.from({ length: 6 }, async (_, n): Promise<StoredBatch | null> => {
      const { credits, enrichment } = nodes.either(n);
      const running = { type: "data_enrichment", status: "running", attempt: 1 } as const;
      const job = make.job(workspaceId, { ...running, leaseUntil: startOfTests + 99_000 });
      const reserved = await credits.reserve(make.reservation(workspaceId, { amount: 3, request: job.id }));
      if (reserved.kind !== "reserved") throw new Error("Expected a reservation");
      const merged = { title: { value: `CTO ${n}`, confidence: 0.9, providers: ["local"], at: startOfTests } };
      const identity = { email: "ada@example.com", network: null, name: null };
      const result = { identity, merged, asked: ["local"], at: startOfTests };
      const settlement = make.settlement(reserved.id, { "0": 3 }, { closes: true });
      const payment = { results: [{ ...result, item: "0" }], settlement, freeSince: 0 };
      const batch = {
        ...{ claim: claimOf(job), outcomes: [], payment, metadata: {}, message: "", progress: 100 },
        ...{ leaseUntil: startOfTests + 99_000, completes: true, at: startOfTests },
      };
      return enrichment.answerBatch(workspaceId, batch, { job, leads: [] });
    }),
  );
  expect(answers.map((answer) => answer!.creditsUsed).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 3]);
  expect(answers.filter((answer) => answer!.paid.free.includes("0"))).toHaveLength(5);
  expect(await first.credits.balance(workspaceId)).toBe(97);
});

test("a result that is deleted while a batch completes it stays deleted", async () => {
  await using nodes = await openNodes();
  const { engine, workspaceId } = nodes;
  const owner = (await engine.ownerOf(workspaceId))!;
  const identity = { email: "ada@example.com", network: null, name: null };
  const result = { identity, asked: ["local"], merged: {}, at: startOfTests };
  const write = (n: number | null) =>
    engine.transact((connection) => writeResults(connection, owner, [{ n, result, people: [identity] }]));
  await write(null);
  const [{ n } = { n: 0 }] = await engine.orm.select({ n: enrichmentResults.n }).from(enrichmentResults);
  await nodes.whileOpen(
    ({ transact }) => transact((connection) => forgetResults(connection, startOfTests + 1, 10)),
    () => write(n),
  );
  expect(await engine.orm.select().from(enrichmentResults)).toEqual([]);
});

test("what both nodes spend at providers is added up", async () => {
  await using nodes = await openNodes();
  const both = { hunter: 0.1, pdl: 1 };
  const reversed = { pdl: 1, hunter: 0.1 };
  const adding = Array.from({ length: 20 }, (_, n) =>
    nodes.either(n).enrichment.addSpending(202601, n % 2 === 0 ? both : reversed),
  );
  await Promise.all(adding);
  expect(await nodes.first.enrichment.spending(202601)).toEqual({ hunter: 2, pdl: 20 });
});

describe("voices on two nodes", () => {
  test("a clone that another node is about to store counts toward the limit", async () => {
    await using nodes = await openNodes();
    const { second } = nodes;
    const outcome = await nodes.whileOpen(
      (engine) => createVoiceStore(engine).create(newClone(nodes)),
      () => second.voices.create(newClone(nodes)),
    );
    expect(outcome).toEqual({ kind: "tooMany", count: 1 });
  });

  test("a training that is replaced while it ends leaves one that runs", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const { clone } = newClone(nodes);
    for (let n = 0; n < 5; n++) {
      const request = newClone(nodes, { maxClones: 9 });
      await first.voices.create(request);
      const now = startOfTests + n;
      const claimed = await first.jobs.claim({ type: "voice_training", limit: 9, now, leaseUntil: now + 60_000 });
      const job = claimed.find(({ id }) => id === request.job.id)!;
      const next = make.job(workspaceId, { type: "voice_training", runAt: startOfTests + 99_000 });
      const end = { kind: "completed", message: "Ready", metadata: {}, at: now } as const;
      const [ended, begun] = await Promise.all([
        first.voices.endTraining({ claim: claimOf(job), quality: null, trained: null, end }),
        second.voices.retrain({
          ...{ workspaceId, cloneId: request.clone.id, job: next, engine: clone.engine, maxClones: 9, at: now },
        }),
      ]);
      expect(begun).toBe("begun");
      const before = await first.jobs.get(workspaceId, job.id);
      expect(before?.status).toBe(ended ? "completed" : "failed");
      expect(await first.voices.get(workspaceId, request.clone.id)).toMatchObject({
        ...{ jobId: next.id, status: "processing" },
      });
    }
  });
});

async function createCampaign(nodes: Nodes) {
  const { first, make, workspaceId } = nodes;
  const account = make.account(workspaceId, { workingHours: alwaysOpen });
  await first.network.insertAccount(account);
  let people = 0;

  const campaignOf = (settings: Partial<Campaign["settings"]> = {}): Campaign => ({
    ...{ id: make.ids.next(startOfTests), workspaceId, name: "Spring", state: "running" },
    steps: [{ type: "action", actionType: "visitProfile" }],
    accountIds: [account.id],
    settings: {
      ...{ stopOnReply: true, excludeOtherCampaigns: false, excludeContactedDays: null, allowOverlap: false },
      ...settings,
    },
    ...{ winners: {}, version: 1, firstStep: 0, startedAt: null, createdAt: startOfTests, updatedAt: startOfTests },
  });

  const enrollmentOf = (leadId: string, { id: campaignId }: Campaign): Enrollment => ({
    ...{ id: make.ids.next(startOfTests), campaignId, workspaceId, leadId, accountId: account.id },
    ...{ profileKey: `https://network.example/in/lead-${leadId}`, state: "active", reason: null, atStep: 0 },
    ...{
      sinceAt: startOfTests,
      wakeAt: startOfTests,
      jobId: null,
      connectedAt: null,
      repliedAt: null,
      ...untouched,
      version: 1,
    },
    ...{ createdAt: startOfTests, updatedAt: startOfTests },
  });

  async function enrolled(into: Campaign): Promise<Enrollment> {
    const networkUrl = `https://network.example/in/lead-${++people}`;
    const lead = await make.storedLead(first, workspaceId, { networkUrl });
    const enrollment = enrollmentOf(lead.id, into);
    expect(await first.campaigns.enroll([enrollment], false, startOfTests)).toEqual([null]);
    return enrollment;
  }

  /** The wish to visit the person as its next step. */
  function stepOf(enrollment: Enrollment) {
    const { id: enrollmentId, campaignId, profileKey: profileUrl } = enrollment;
    const place = { enrollmentId, campaignId, campaignStep: 0, profileUrl, actionType: "visitProfile" } as const;
    const request = make.actionRequest(account, { action: place });
    return { enrollment, request, change: { wakeAt: null, jobId: request.job.id, updatedAt: startOfTests } };
  }

  const campaign = campaignOf();
  await first.campaigns.insert(campaign);
  return { first, account, campaign, campaignOf, enrollmentOf, enrolled, stepOf };
}

function newClone({ make, workspaceId }: Nodes, limits: Partial<NewClone["limits"]> = {}): NewClone {
  const job = make.job(workspaceId, { type: "voice_training" });
  const id = make.ids.next(startOfTests);
  return {
    clone: {
      ...{ id, workspaceId, name: "Ada", description: "", labels: {}, settings: defaultVoiceSettings },
      ...{ isActive: true, engine: "local", consent: null, quality: null, jobId: job.id, trainedAt: null },
      ...{ createdAt: startOfTests, updatedAt: startOfTests },
    },
    samples: [
      {
        ...{ id: make.ids.next(startOfTests), cloneId: id, fileName: "a.wav", format: "wav", bytes: 10, sha256: id },
        ...{ hasOriginal: true, derivedBytes: 0, quality: null, createdAt: startOfTests },
      },
    ],
    job,
    limits: { maxClones: 1, maxBytes: 1e9, ...limits },
  };
}
