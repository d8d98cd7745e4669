import { describe, expect, test } from "bun:test";
import type { Verdict } from "../../src/features/enrichment/model.ts";
import type { ItemOutcome, Paid, Payment, StoredResult } from "../../src/features/enrichment/change-model.ts";
import type { EnrichmentStore } from "../../src/features/enrichment/store.ts";
import type { LeadIdentity } from "../../src/features/leads/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimJobs, claimOf, createFactories } from "../support/factories.ts";

const nobody: LeadIdentity = { email: null, network: null, name: null };
const byEmail = (email: string): LeadIdentity => ({ ...nobody, email });

function resultOf(identity: LeadIdentity, overrides: Partial<StoredResult> = {}): StoredResult {
  const merged = { title: { value: "CTO", confidence: 0.9, providers: ["local"], at: startOfTests } };
  return { identity, asked: ["local"], merged, at: startOfTests, ...overrides };
}

function unpaid(results: StoredResult[]): Payment {
  return { results: results.map((result, n) => ({ ...result, item: `${n}` })), settlement: null, freeSince: null };
}

function completing(result: StoredResult): Payment {
  return { results: [{ ...result, item: null }], settlement: null, freeSince: 0 };
}

/** Pays for results by a job of their own. */
async function finish(storage: Storage, workspaceId: string, payment: Payment): Promise<Paid> {
  const running = {
    type: "data_enrichment",
    status: "running",
    attempt: 1,
    leaseUntil: startOfTests + 99_000,
  } as const;
  const job = createFactories().job(workspaceId, { ...running, id: crypto.randomUUID() });
  const batch = { ...emptyBatch, claim: claimOf(job), completes: true, payment };
  return (await storage.enrichment.answerBatch(workspaceId, batch, { job, leads: [] }))!.paid;
}

const emptyBatch = {
  outcomes: [],
  metadata: {},
  message: "going on",
  progress: 50,
  completes: false,
  leaseUntil: startOfTests + 99_000,
  at: startOfTests + 1,
};

describe.each(enginesAndPostgres)("enrichment on $name", ({ open }) => {
  async function arrange(storage: Storage) {
    const make = createFactories();
    const workspaceId = (await make.storedUser(storage)).user.id;
    const store = (...results: StoredResult[]) => finish(storage, workspaceId, unpaid(results));
    const find = async (identity: LeadIdentity, since = 0) =>
      (await storage.enrichment.results(workspaceId, [identity], since))[0];
    return { make, workspaceId, store, find };
  }

  test("a result is found by any identifier of the person, the newest one, until it is too old", async () => {
    await using opened = await open();
    const { store, find } = await arrange(opened.storage);
    const ada = { email: "a@b.co", network: "https://n.example/in/ada", name: "ada\nlovelace\nacme" };
    await store(resultOf(ada));
    for (const identity of [ada, byEmail("a@b.co"), { ...nobody, network: ada.network }, { ...nobody, name: ada.name }])
      expect(await find(identity)).toEqual(resultOf(ada));
    expect(await find(byEmail("b@b.co"))).toBeNull();
    expect(await find(ada, startOfTests + 1)).toBeNull();
    // The same name and company with another address is somebody else.
    expect(await find({ ...nobody, name: ada.name, email: "other@b.co" })).toBeNull();
    const newer = resultOf(ada, { at: startOfTests + 5, asked: ["local", "pdl"] });
    await store(newer);
    expect(await find(ada)).toEqual(newer);
    expect(await opened.storage.enrichment.results("nobody", [ada], 0)).toEqual([null]);
  });

  test("a result is found by what was found of the person, too, but for guesses", async () => {
    await using opened = await open();
    const { workspaceId, store, find } = await arrange(opened.storage);
    const said = (value: string, confidence = 0.9) => ({ value, confidence, providers: ["pdl"], at: startOfTests });
    const names = { firstName: said("Ada"), lastName: said("Lovelace"), company: said("Acme") };
    const found = { ...names, networkUrl: said("https://n.example/in/ada/"), phone: said("1") };
    const ada = resultOf(byEmail("a@b.co"), { merged: found });
    await store(ada);
    const profile = { ...nobody, network: "https://n.example/in/ada" };
    const byName = { ...nobody, name: "ada\nlovelace\nacme" };
    for (const identity of [byEmail("a@b.co"), profile, byName]) expect(await find(identity)).toEqual(ada);
    expect(await find({ ...byName, email: "other@b.co" })).toBeNull();
    const alan = resultOf({ ...nobody, name: "alan\nturing\nacme" }, { merged: { email: said("t@b.co", 0.7) } });
    await store(alan);
    expect(await find(byEmail("t@b.co"))).toBeNull();
    const sure = { merged: { email: said("T@b.co") }, asked: ["pdl"] };
    await finish(opened.storage, workspaceId, completing({ ...alan, ...sure }));
    expect(await find(byEmail("t@b.co"))).toEqual({ ...alan, ...sure });
  });

  test("a result is its user's own", async () => {
    await using opened = await open();
    const { make, store } = await arrange(opened.storage);
    await store(resultOf(byEmail("a@b.co")));
    const other = (await make.storedUser(opened.storage)).user.id;
    expect(await opened.storage.enrichment.results(other, [byEmail("a@b.co")], 0)).toEqual([null]);
  });

  test("results and what they cost are stored together", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, find } = await arrange(storage);
    await storage.credits.add(make.grant(workspaceId, { amount: 10 }));
    const reserved = await storage.credits.reserve(make.reservation(workspaceId, { amount: 5 }));
    if (reserved.kind !== "reserved") throw new Error("Expected a reservation");
    const settlement = make.settlement(reserved.id, { "0": 2 }, { closes: true });
    const result = resultOf(byEmail("a@b.co"));
    const payment: Payment = { ...unpaid([result]), settlement };
    const broken = { ...settlement, items: [{ entryId: "x", item: "1", amount: 99 }] };
    await expect(finish(storage, workspaceId, { ...payment, settlement: broken })).rejects.toThrow();
    expect(await find(result.identity)).toBeNull();
    const settled = { kind: "settled", charged: 2, balance: 8 } as const;
    expect(await finish(storage, workspaceId, payment)).toEqual({ settled, free: [] });
    expect(await find(result.identity)).toEqual(result);
  });

  test("a person whose result another request has stored meanwhile is free, and stored once", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, find } = await arrange(storage);
    await storage.credits.add(make.grant(workspaceId, { amount: 10 }));
    const first = resultOf(byEmail("a@b.co"));
    await finish(storage, workspaceId, unpaid([first]));
    const pay = async (results: StoredResult[], freeSince: number | null) => {
      const reserved = await storage.credits.reserve(make.reservation(workspaceId, { amount: 2 }));
      if (reserved.kind !== "reserved") throw new Error("Expected a reservation");
      const settlement = make.settlement(reserved.id, { "0": 1, "1": 1 }, { closes: true });
      return finish(storage, workspaceId, { ...unpaid(results), settlement, freeSince });
    };
    const again = resultOf(byEmail("a@b.co"), { at: startOfTests + 5 });
    const other = resultOf(byEmail("b@b.co"));
    expect(await pay([again, other], 0)).toMatchObject({ settled: { charged: 1, balance: 9 }, free: ["0"] });
    expect(await find(first.identity)).toEqual(first);
    // One that is too old, and one that was wanted anew are no repeats.
    expect(await pay([again, other], startOfTests + 1)).toMatchObject({ settled: { charged: 2 }, free: [] });
    expect(await pay([again, other], null)).toMatchObject({ settled: { charged: 2 }, free: [] });
  });

  test("what completes a result takes its place; the person and the moment of payment stay", async () => {
    await using opened = await open();
    const { workspaceId, store, find } = await arrange(opened.storage);
    const ada = { email: "a@b.co", network: "https://n.example/in/ada", name: null };
    await store(resultOf(byEmail("a@b.co")));
    const email = { value: "a@b.co", confidence: 0.9, providers: ["pdl"], at: startOfTests + 5 };
    const complete = { merged: { email }, asked: ["local", "pdl"] };
    expect(
      await finish(opened.storage, workspaceId, completing(resultOf(ada, { ...complete, at: startOfTests + 5 }))),
    ).toEqual({
      settled: null,
      free: [],
    });
    expect(await find(ada)).toEqual(resultOf(byEmail("a@b.co"), complete));
    expect(await find(ada, startOfTests + 1)).toBeNull();
    // One that is gone by now is stored as it is.
    await finish(opened.storage, workspaceId, completing(resultOf(byEmail("b@b.co"))));
    expect(await find(byEmail("b@b.co"))).toEqual(resultOf(byEmail("b@b.co")));
  });

  test("a job is stored with its leads and its credits, or not at all", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId } = await arrange(storage);
    await storage.credits.add(make.grant(workspaceId, { amount: 2 }));
    const submit = (amount: number) => {
      const job = make.job(workspaceId, { type: "data_enrichment" });
      const leads = [{ email: "a@b.co" }, { email: "b@b.co", firstName: "B" }];
      const reserve = amount === 0 ? null : make.reservation(workspaceId, { amount, jobId: job.id, request: job.id });
      return { job, outcome: storage.enrichment.submit(job, leads, reserve) };
    };
    const refused = submit(3);
    expect(await refused.outcome).toEqual({ kind: "exhausted", by: "balance", remaining: 2, required: 3 });
    expect(await storage.jobs.get(workspaceId, refused.job.id)).toBeNull();
    expect(await storage.enrichment.pending(refused.job.id, 10)).toEqual([]);
    const taken = submit(2);
    expect(await taken.outcome).toMatchObject({ kind: "reserved", balance: 0 });
    expect(await storage.enrichment.pending(taken.job.id, 10)).toEqual([
      { n: 0, input: { email: "a@b.co" }, outcome: null },
      { n: 1, input: { email: "b@b.co", firstName: "B" }, outcome: null },
    ]);
    expect(await storage.enrichment.pending(taken.job.id, 1)).toHaveLength(1);
    expect(await submit(0).outcome).toBeNull();
  });

  const failed = (index: number): ItemOutcome => ({
    kind: "failed",
    failure: { index, input: {}, code: "NO_MATCH", message: "", retryable: false },
  });

  async function runningJob(storage: Storage) {
    const { make, workspaceId } = await arrange(storage);
    const job = make.job(workspaceId, { type: "data_enrichment", metadata: { batchSize: 3, results: "here" } });
    await storage.enrichment.submit(job, [{ email: "a@b.co" }, { email: "b@b.co" }, { email: "c@b.co" }], null);
    const [claimed] = await claimJobs(storage, startOfTests, { type: "data_enrichment" });
    const batch = (numbers: number[]): Parameters<EnrichmentStore["finishBatch"]>[1] => ({
      ...emptyBatch,
      claim: claimOf(claimed!),
      outcomes: numbers.map((n) => ({ n, outcome: failed(n) })),
      payment: unpaid([]),
      metadata: { processed: numbers.length },
    });
    return { make, workspaceId, job: claimed!, batch };
  }

  test("what came of a batch is stored under the claim, and the rest is still to do", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { workspaceId, job, batch } = await runningJob(storage);
    expect(await storage.enrichment.finishBatch(workspaceId, batch([0, 2]))).toEqual({
      creditsUsed: 0,
      outcomes: [failed(0), failed(2)],
      paid: { settled: null, free: [] },
    });
    expect(await storage.jobs.get(workspaceId, job.id)).toMatchObject({
      progress: 50,
      message: "going on",
      leaseUntil: startOfTests + 99_000,
      metadata: { batchSize: 3, results: "here", processed: 2, creditsUsed: 0 },
    });
    expect((await storage.enrichment.pending(job.id, 10)).map(({ n }) => n)).toEqual([1]);
    const done = await storage.enrichment.done(job.id, -1, 10);
    expect(done.map(({ n, outcome }) => [n, outcome])).toEqual([
      [0, failed(0)],
      [2, failed(2)],
    ]);
    expect((await storage.enrichment.done(job.id, 0, 10)).map(({ n }) => n)).toEqual([2]);
    expect(await storage.enrichment.done(job.id, -1, 1)).toHaveLength(1);
    const reopened = await opened.reopen();
    expect((await reopened.enrichment.pending(job.id, 10)).map(({ n }) => n)).toEqual([1]);
  });

  test("a job and what came of its leads are stored together, and it has completed", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId, batch } = await runningJob(storage);
    const running = { type: "data_enrichment", status: "running", attempt: 1, leaseUntil: startOfTests + 9 } as const;
    const job = make.job(workspaceId, running);
    const created = { job, leads: [{ email: "a@b.co" }, { email: "\u0000\ud800é" }] };
    const last = { ...batch([0, 1]), claim: claimOf(job), completes: true, message: "done", progress: 100 };
    const broken = { ...last, payment: { ...last.payment, settlement: make.settlement("none", { "0": 1 }) } };
    const { paid } = (await storage.enrichment.answerBatch(workspaceId, broken, created))!;
    expect(paid.settled).toEqual({ kind: "void" });
    expect(await storage.jobs.get(workspaceId, job.id)).toMatchObject({
      ...{ status: "completed", progress: 100, message: "done", leaseUntil: null, completedAt: startOfTests + 1 },
    });
    const done = await storage.enrichment.done(job.id, -1, 10);
    expect(done.map(({ input, outcome }) => [input, outcome])).toEqual([
      [{ email: "a@b.co" }, failed(0)],
      [created.leads[1]!, failed(1)],
    ]);
    // An id that is taken: neither the job nor an outcome is stored.
    await expect(storage.enrichment.answerBatch(workspaceId, last, created)).rejects.toThrow();
  });

  test("nothing of a batch is stored when the claim is void", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { workspaceId, job, batch } = await runningJob(storage);
    await storage.jobs.cancel(workspaceId, job.id, startOfTests);
    expect(
      await storage.enrichment.finishBatch(workspaceId, {
        ...batch([0]),
        payment: unpaid([resultOf(byEmail("a@b.co"))]),
      }),
    ).toBeNull();
    expect(await storage.enrichment.done(job.id, -1, 10)).toEqual([]);
    expect(await storage.enrichment.results(workspaceId, [byEmail("a@b.co")], 0)).toEqual([null]);
  });

  test("the order of providers is kept for each user", async () => {
    await using opened = await open();
    const { enrichment } = opened.storage;
    const { make, workspaceId } = await arrange(opened.storage);
    const other = (await make.storedUser(opened.storage)).user.id;
    expect(await enrichment.providers(workspaceId)).toBeNull();
    await enrichment.setProviders(workspaceId, ["b", "a"]);
    await enrichment.setProviders(workspaceId, ["a", "b"]);
    expect(await enrichment.providers(workspaceId)).toEqual(["a", "b"]);
    expect(await enrichment.providers(other)).toBeNull();
    await enrichment.setProviders(workspaceId, null);
    expect(await enrichment.providers(workspaceId)).toBeNull();
  });

  test("what providers spent is kept by month", async () => {
    await using opened = await open();
    const { enrichment } = opened.storage;
    await enrichment.saveSpending(202601, { hunter: 1.5, pdl: 2 });
    await enrichment.saveSpending(202601, { hunter: 3 });
    expect(await enrichment.spending(202601)).toEqual({ hunter: 3, pdl: 2 });
    expect(await enrichment.spending(202602)).toEqual({});
  });

  test("what verifiers say of an address is its user's own, each one's newest, in whatever spelling", async () => {
    await using opened = await open();
    const { make, workspaceId } = await arrange(opened.storage);
    const { enrichment } = opened.storage;
    const said = (email: string, provider: string, confidence: number, at = startOfTests) => ({
      ...{ email, provider, confidence, at },
    });
    const put = (...verdicts: Verdict[]) =>
      finish(opened.storage, workspaceId, { results: [], verdicts, settlement: null, freeSince: 0 });
    await put(said("a@b.co", "hunter", 0.6), said("a@b.co", "reacher", 0), said("c@b.co", "hunter", 1));
    await put(said("A@B.co", "hunter", 0.97, startOfTests + 5));
    await put(said("a@b.co", "hunter", 0.1, startOfTests + 1));
    const found = await enrichment.verdicts(workspaceId, ["A@b.co", "x@b.co"], 0);
    expect(found.toSorted((a, b) => a.provider.localeCompare(b.provider))).toEqual([
      said("A@b.co", "hunter", 0.97, startOfTests + 5),
      said("A@b.co", "reacher", 0),
    ]);
    expect(await enrichment.verdicts(workspaceId, ["a@b.co"], startOfTests + 1)).toMatchObject([
      { provider: "hunter" },
    ]);
    const other = (await make.storedUser(opened.storage)).user.id;
    expect(await enrichment.verdicts(other, ["a@b.co"], 0)).toEqual([]);
  });

  test("a verdict that was wanted anew takes the place of all before, and none is kept of who is on the list", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { make, workspaceId } = await arrange(storage);
    const put = (provider: string, at: number, freeSince: number | null) =>
      finish(storage, workspaceId, {
        results: [],
        verdicts: [{ email: "a@b.co", provider, confidence: 0.5, at }],
        settlement: null,
        freeSince,
      });
    const by = async () =>
      (await storage.enrichment.verdicts(workspaceId, ["a@b.co"], 0)).map(({ provider }) => provider).toSorted();
    await put("hunter", 10, 0);
    await put("reacher", 20, 0);
    expect(await by()).toEqual(["hunter", "reacher"]);
    await put("web", 30, 20);
    expect(await by()).toEqual(["reacher", "web"]);
    await put("acme", 40, null);
    expect(await by()).toEqual(["acme"]);
    await storage.suppressions.add([make.suppression(workspaceId, "email", "a@b.co")]);
    await put("late", 50, 0);
    expect(await by()).toEqual(["acme"]);
  });

  test("what is old is forgotten, in bounded steps", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { workspaceId, job, batch } = await runningJob(storage);
    await storage.enrichment.finishBatch(workspaceId, batch([0]));
    const people = ["a@b.co", "b@b.co", "c@b.co"].map(byEmail);
    const results = people.map((person, n) => resultOf(person, { at: startOfTests + n * 8 }));
    const verdicts = ["x", "y", "z"].map((provider, n) => ({
      ...{ email: "a@b.co", provider, confidence: 1, at: startOfTests + n * 8 },
    }));
    await finish(storage, workspaceId, { ...unpaid(results), verdicts });
    // A job that runs is never old.
    expect(await storage.enrichment.forgetBefore(startOfTests + 10, 1)).toBe(2);
    await storage.jobs.end(claimOf(job), { kind: "completed", message: "", metadata: {}, at: startOfTests + 2 });
    let forgotten = 0;
    for (let last = 1; last > 0; forgotten += last) last = await storage.enrichment.forgetBefore(startOfTests + 10, 1);
    expect(forgotten).toBe(5);
    expect(await storage.enrichment.verdicts(workspaceId, ["a@b.co"], 0)).toMatchObject([{ provider: "z" }]);
    expect(await storage.enrichment.done(job.id, -1, 10)).toEqual([]);
    expect(await storage.enrichment.results(workspaceId, ["a@b.co", "b@b.co", "c@b.co"].map(byEmail), 0)).toEqual([
      null,
      null,
      expect.anything(),
    ]);
  });
});

describe.each(enginesAndPostgres)("what leads tell of companies on $name", ({ open }) => {
  async function learnAll(storage: Storage, until = startOfTests): Promise<number> {
    let batches = 0;
    while (await storage.leadHints.learn(until)) batches++;
    return batches;
  }

  test("colleagues are found by domain or by company, in whatever spelling, once they are learned", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const workspaceId = (await make.storedUser(storage)).user.id;
    const other = (await make.storedUser(storage)).user.id;
    const ada = await make.storedLead(storage, workspaceId, { email: "Ada@Acme.example", company: "ACME, Inc." });
    const alan = await make.storedLead(storage, workspaceId, { email: "alan@gmail.com", company: "Acme" });
    await make.storedLead(storage, workspaceId, { email: "x@other.example", company: null });
    await make.storedLead(storage, other, { email: "eve@acme.example", company: "Acme" });
    const emails = async (domain: string | null, name: string | null, limit = 10) =>
      (await storage.leadHints.colleagues(workspaceId, { domain, name }, limit)).map(({ email }) => email);
    expect(await emails("acme.example", null)).toEqual([]);
    await learnAll(storage);
    expect(await emails("acme.example", null)).toEqual([ada.email]);
    expect(new Set(await emails(null, "acme gmbh"))).toEqual(new Set([ada.email, alan.email]));
    expect(await emails(null, "acme", 1)).toHaveLength(1);
    expect(await emails("gmail.com", null)).toEqual([]);
    expect(await emails(null, null)).toEqual([]);
    expect(await storage.leadHints.colleagues("nobody", { domain: "acme.example", name: null }, 10)).toEqual([]);
  });

  test("a lead that was changed or removed is not found by what it was", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const workspaceId = (await make.storedUser(storage)).user.id;
    const moved = await make.storedLead(storage, workspaceId, { email: "a@old.example", company: "Old" });
    const gone = await make.storedLead(storage, workspaceId, { email: "b@old.example", company: "Old" });
    await learnAll(storage);
    await storage.leads.update({
      ...make.leadUpdate(moved, { email: "a@new.example", company: "New" }),
      at: startOfTests + 5,
    });
    await storage.leads.remove({ workspaceId, id: gone.id, version: null, at: startOfTests });
    await learnAll(storage, startOfTests + 5);
    const find = (name: string) => storage.leadHints.colleagues(workspaceId, { domain: null, name }, 10);
    expect(await find("old")).toEqual([]);
    expect((await find("new")).map(({ email }) => email)).toEqual(["a@new.example"]);
  });

  test("learning goes in batches, leaves out what is newer, and ends", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const workspaceId = (await make.storedUser(storage)).user.id;
    await make.storedUser(storage);
    const inserts = Array.from({ length: 5_600 }, (_, n) =>
      make.leadInsert(workspaceId, {
        email: `p${n}@acme.example`,
        createdAt: startOfTests,
        updatedAt: startOfTests + (n >> 8),
      }),
    );
    for (const insert of inserts) void storage.leads.insert(insert);
    await storage.leads.insert(
      make.leadInsert(workspaceId, { email: "new@acme.example", updatedAt: startOfTests + 100 }),
    );
    expect(await learnAll(storage, startOfTests + 50)).toBe(2);
    expect(await storage.leadHints.colleagues(workspaceId, { domain: "acme.example", name: null }, 9000)).toHaveLength(
      5_600,
    );
    expect(await storage.leadHints.learn(startOfTests + 50)).toBe(false);
    const reopened = await opened.reopen();
    expect(await learnAll(reopened, startOfTests + 100)).toBe(1);
  });
});
