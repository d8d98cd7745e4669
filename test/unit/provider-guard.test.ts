import { describe, expect, test } from "bun:test";
import { allFields, fieldsOf, type EnrichField } from "../../src/features/enrichment/fields.ts";
import { LookUp, type Known } from "../../src/features/enrichment/look-up.ts";
import type { Finding, Subject } from "../../src/features/enrichment/model.ts";
import type { EnrichmentProvider, LookUpOutcome } from "../../src/features/enrichment/provider.ts";
import { GuardedProvider } from "../../src/features/enrichment/provider-guard.ts";
import { Spending } from "../../src/features/enrichment/spending.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { FakeClock } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { nobody } from "../support/vendors.ts";

const log = createLog("silent");
const context = { workspaceId: "u", leadId: null, wanted: new Set(allFields), signal: new AbortController().signal };
const found: LookUpOutcome = { kind: "found", findings: [{ field: "title", value: "CTO", confidence: 0.9 }], spent: 1 };
const failed: LookUpOutcome = { kind: "failed", reason: "broken" };

type Scripted = Partial<EnrichmentProvider> & { outcomes?: LookUpOutcome[]; spendCap?: number; clock?: FakeClock };

/** A provider that answers what a test says, in turn, and then the last again; it notes whom it was asked about. */
function guarded({ outcomes = [found], spendCap, clock = new FakeClock(), ...overrides }: Scripted = {}) {
  const asked: Subject[] = [];
  const provider: EnrichmentProvider = {
    name: "scripted",
    fields: ["title"],
    lookUp: async (subject) => {
      asked.push(subject);
      return outcomes[Math.min(asked.length, outcomes.length) - 1]!;
    },
    fieldsFor: () => provider.fields,
    ...overrides,
  };
  const spending = new Spending(clock);
  const settings = { timeoutMs: 1000, spendCap: spendCap ?? null };
  const guard = new GuardedProvider(provider, settings, spending, clock, log);
  const ask = () => guard.lookUp(nobody, context);
  return { guard, ask, asked, clock, spending };
}

describe("a guarded provider", () => {
  test("answers what the provider answers, and counts what it spends", async () => {
    const { ask, guard } = guarded();
    expect(await ask()).toEqual(found);
    expect(guard.view()).toMatchObject({ name: "scripted", state: "ready", creditsUsed: 1, spendCap: null });
  });

  test("does not wait for one that takes too long, even when it does not heed its signal", async () => {
    const { ask, clock } = guarded({ lookUp: () => new Promise(() => {}) });
    const asking = ask();
    clock.advance(1000);
    expect(await asking).toEqual({ kind: "failed", reason: "Timed out" });
  });

  test("survives one that throws", async () => {
    expect(await guarded({ lookUp: () => Promise.reject(new Error("bug")) }).ask()).toMatchObject({ kind: "failed" });
  });

  test("pauses after five failures in a row, tries once, and pauses longer", async () => {
    const { ask, asked, clock, guard } = guarded({ outcomes: [failed] });
    for (let n = 0; n < 5; n++) expect(await ask()).toEqual(failed);
    expect(await ask()).toEqual({ kind: "skipped" });
    expect(guard.view()).toMatchObject({ state: "paused", pausedUntil: expect.any(String) });
    clock.advance(60_000);
    const both = await Promise.all([ask(), ask()]);
    expect(both).toEqual([failed, { kind: "skipped" }]);
    clock.advance(60_000);
    expect(await ask()).toEqual({ kind: "skipped" });
    clock.advance(60_000);
    expect(await ask()).toEqual(failed);
    expect(asked).toHaveLength(7);
  });

  test("pauses for a minute when many calls that were under way fail at once, which is one failure of the provider", async () => {
    const { ask, asked, clock } = guarded({ outcomes: [failed] });
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(asked).toHaveLength(20);
    clock.advance(59_999);
    expect(await ask()).toEqual({ kind: "skipped" });
    clock.advance(1);
    expect(await ask()).toEqual(failed);
  });

  test("is back after a trial that succeeds", async () => {
    const { ask, clock } = guarded({ outcomes: [failed, failed, failed, failed, failed, found, failed, found] });
    for (let n = 0; n < 5; n++) await ask();
    clock.advance(60_000);
    expect(await ask()).toEqual(found);
    expect(await ask()).toEqual(failed);
    expect(await ask()).toEqual(found);
  });

  test("a success in between starts the count anew", async () => {
    const { ask } = guarded({ outcomes: [failed, failed, failed, failed, { kind: "none", spent: 0 }, failed] });
    for (let n = 0; n < 9; n++) expect((await ask()).kind).not.toBe("skipped");
  });

  test("waits as long as the vendor asks, and an hour when the account is used up", async () => {
    const clock = new FakeClock();
    const limited = guarded({
      clock,
      outcomes: [{ kind: "paused", until: clock.now() + 5000, reason: "slow" }, found],
    });
    await limited.ask();
    expect(await limited.ask()).toEqual({ kind: "skipped" });
    clock.advance(5000);
    expect(await limited.ask()).toEqual(found);
    const used = guarded({ outcomes: [{ kind: "exhausted", reason: "no credits" }, found] });
    await used.ask();
    used.clock.advance(3_599_999);
    expect(await used.ask()).toEqual({ kind: "skipped" });
    used.clock.advance(1);
    expect(await used.ask()).toEqual(found);
  });

  test("who gives up waiting does not count as a failure", async () => {
    const { guard } = guarded({ lookUp: () => new Promise(() => {}) });
    for (let n = 0; n < 10; n++)
      expect(await guard.lookUp(nobody, { ...context, signal: AbortSignal.abort() })).toMatchObject({ kind: "failed" });
    expect(guard.view().state).toBe("ready");
  });

  test("spends no more than its cap in a month, however many ask at once", async () => {
    const { ask, asked, clock, guard } = guarded({ spendCap: 3 });
    const outcomes = await Promise.all(Array.from({ length: 10 }, ask));
    expect(outcomes.filter(({ kind }) => kind === "found")).toHaveLength(3);
    expect(asked).toHaveLength(3);
    expect(guard.view()).toMatchObject({ state: "exhausted", creditsUsed: 3, spendCap: 3 });
    clock.advance(31 * 86_400_000);
    expect(await ask()).toEqual(found);
  });

  test("is not asked for what would pass its cap, also where a match takes several of its credits", async () => {
    const { ask, asked, guard } = guarded({ spendCap: 5, spends: 2, outcomes: [{ ...found, spent: 2 }] });
    const outcomes = await Promise.all(Array.from({ length: 4 }, ask));
    expect(outcomes.filter(({ kind }) => kind === "found")).toHaveLength(2);
    expect(asked).toHaveLength(2);
    expect(guard.view()).toMatchObject({ state: "exhausted", creditsUsed: 4, spendCap: 5 });
  });

  test("is asked as long as its cap can pay for the very question, and no longer", async () => {
    const isCheap = ({ email }: Subject) => email !== null;
    const spends = { minimum: 0.5, on: (subject: Subject) => (isCheap(subject) ? 0.5 : 1) };
    const { guard, asked } = guarded({ spendCap: 2, spends, outcomes: [{ ...found, spent: 0.5 }] });
    const cheap = { ...nobody, email: "a@b.co" };
    const outcome = async (subject: Subject) => (await guard.lookUp(subject, context)).kind;
    // Two at a credit each fill the cap until they have told that they took less.
    const atOnce = [nobody, nobody, cheap].map(outcome);
    expect(await Promise.all(atOnce)).toEqual(["found", "found", "skipped"]);
    expect(await outcome(cheap)).toBe("found");
    expect(guard.canPayFor(nobody)).toBe(false);
    expect(await outcome(nobody)).toBe("skipped");
    expect(guard.view()).toMatchObject({ state: "ready", creditsUsed: 1.5 });
    expect(await outcome(cheap)).toBe("found");
    expect(await outcome(cheap)).toBe("skipped");
    expect(guard.view()).toMatchObject({ state: "exhausted", creditsUsed: 2, spendCap: 2 });
    expect(asked).toHaveLength(4);
  });

  test.each([0.1, 0.3, 0.7])("counts questions of %d credits exactly", async (spends) => {
    const { ask, guard } = guarded({ spendCap: 21, spends, outcomes: [{ ...found, spent: spends }] });
    let answers = 0;
    while ((await ask()).kind === "found") answers++;
    expect(answers).toBe(Math.round(21 / spends));
    expect(guard.view()).toMatchObject({ creditsUsed: 21 });
  });

  test("what is spent survives a restart", async () => {
    await using opened = await engines[0]!.open();
    const clock = new FakeClock();
    const before = new Spending(clock);
    before.add("hunter", 2.5);
    await before.flush(opened.storage.enrichment);
    const after = new Spending(clock);
    await after.load(await opened.reopen().then(({ enrichment }) => enrichment));
    expect(after.of("hunter")).toBe(2.5);
    expect(after.of("pdl")).toBe(0);
  });

  test("its cap is that of all processes that share the store", async () => {
    await using opened = await engines[0]!.open();
    const { enrichment } = opened.storage;
    const clock = new FakeClock();
    const processes = [guarded({ clock, spendCap: 4 }), guarded({ clock, spendCap: 4 })] as const;
    for (const { spending } of processes) await spending.load(enrichment);
    const [one, other] = processes;
    expect([await one.ask(), await one.ask(), await other.ask()]).toEqual([found, found, found]);
    const last = await Promise.all([one.ask(), other.ask(), one.ask(), other.ask()]);
    // Those that want the last credit at the same time may all leave it.
    expect(last.filter(({ kind }) => kind === "found").length).toBeLessThanOrEqual(1);
    for (const { spending } of processes) await spending.flush(enrichment);
    await one.ask();
    expect(await other.ask()).toEqual({ kind: "skipped" });
    expect(one.asked.length + other.asked.length).toBe(4);
    for (const { spending } of processes) await spending.flush(enrichment);
    expect(await enrichment.spending(202601)).toEqual({ scripted: 4 });
  });

  test("what a call may take is written before a capped provider is asked, and what it took once it is known", async () => {
    await using opened = await engines[0]!.open();
    const { enrichment } = opened.storage;
    const clock = new FakeClock();
    const written = async () => (await enrichment.spending(202601))["scripted"];
    const during: unknown[] = [];
    const arranged = guarded({
      clock,
      spends: 1,
      spendCap: 5,
      lookUp: async () => {
        during.push(await written());
        return { ...found, spent: 0.5 };
      },
    });
    await arranged.spending.load(enrichment);
    await arranged.ask();
    await arranged.ask();
    expect(during).toEqual([1, 1.5]);
    await arranged.spending.flush(enrichment);
    expect(await written()).toBe(1);
    expect(arranged.guard.view()).toMatchObject({ creditsUsed: 1 });
  });
});

describe("the waterfall", () => {
  const says = (field: Finding["field"], value: string, confidence: number): LookUpOutcome => ({
    kind: "found",
    findings: [{ field, value, confidence }],
    spent: 0,
  });
  const all = fieldsOf(["personal", "company", "social", "contact"]);

  const lookUpPerson = (
    input: Subject,
    wanted: ReadonlySet<EnrichField>,
    providers: readonly GuardedProvider[],
    asking: typeof context,
    clock: FakeClock,
    known?: Known,
  ) => new LookUp(input, { wanted, providers, context: asking, clock, ...(known && { known }) }).run();

  test("asks in order, stops when everything is sure, and tells the next one what was found", async () => {
    const clock = new FakeClock();
    const first = guarded({ name: "first", outcomes: [says("email", "ada@acme.example", 0.6)], fields: ["email"] });
    const second = guarded({ name: "second", outcomes: [says("email", "ada@acme.example", 0.9)], fields: ["email"] });
    const third = guarded({ name: "third", fields: ["email"] });
    const providers = [first, second, third].map(({ guard }) => guard);
    const { merged, asked, unavailable } = await lookUpPerson(nobody, all, providers, context, clock);
    expect(merged.email).toMatchObject({ value: "ada@acme.example", providers: ["first", "second"] });
    expect({ asked, unavailable }).toEqual({ asked: ["first", "second"], unavailable: [] });
    expect(second.asked).toMatchObject([{ candidateEmail: "ada@acme.example", domain: "acme.example" }]);
    expect(third.asked).toEqual([]);
  });

  test("goes back to one that could not be asked before, and asks nobody twice", async () => {
    const needsDomain = guarded({ name: "a", fieldsFor: ({ domain }) => (domain === null ? [] : ["title"]) });
    const site = says("companyInfo.website", "https://acme.example", 0.6);
    const knowsDomain = guarded({ name: "b", outcomes: [site], fields: ["companyInfo.website", "email"] });
    const providers = [needsDomain.guard, knowsDomain.guard];
    const { merged } = await lookUpPerson({ ...nobody, company: "Acme" }, all, providers, context, new FakeClock());
    expect(needsDomain.asked).toMatchObject([{ domain: "acme.example" }]);
    expect(knowsDomain.asked).toHaveLength(1);
    expect(merged.title?.value).toBe("CTO");
  });

  test("asks nobody who gives nothing that is wanted", async () => {
    const { guard, asked } = guarded({ fields: ["title"] });
    await lookUpPerson(nobody, fieldsOf(["contact"]), [guard], context, new FakeClock());
    expect(asked).toEqual([]);
  });

  test("goes on without one that fails, and says that somebody might have known more", async () => {
    const broken = guarded({ name: "broken", outcomes: [failed] });
    const fine = guarded({ name: "fine" });
    const looked = await lookUpPerson(nobody, all, [broken.guard, fine.guard], context, new FakeClock());
    // What it gives is sure by now, so that nobody misses its word.
    expect(looked).toMatchObject({ asked: ["fine"], unavailable: [], merged: { title: { providers: ["fine"] } } });
    const unsure = guarded({ name: "unsure", outcomes: [says("title", "CTO", 0.5)] });
    const partial = await lookUpPerson(nobody, all, [broken.guard, unsure.guard], context, new FakeClock());
    expect(partial).toMatchObject({ asked: ["unsure"], unavailable: ["broken"] });
  });

  test("goes on from what is known: who was asked is not asked again, nor anybody for what is sure", async () => {
    const [asked, fresh, useless] = [
      guarded({ name: "asked" }),
      guarded({ name: "fresh", outcomes: [says("phone", "+1", 0.9)], fields: ["title", "phone"] }),
      guarded({ name: "useless" }),
    ];
    const title = { value: "CTO", confidence: 0.9, providers: ["asked"], at: 1 };
    const known = { merged: { title }, asked: ["asked"] };
    const providers = [asked, fresh, useless].map(({ guard }) => guard);
    const looked = await lookUpPerson(nobody, all, providers, context, new FakeClock(), known);
    expect(looked).toMatchObject({ asked: ["asked", "fresh"], merged: { title, phone: { value: "+1" } } });
    expect([asked, fresh, useless].map((each) => each.asked.length)).toEqual([0, 1, 0]);
  });

  test("waits for nobody whose cap is too small for this person, though others could be asked about", async () => {
    const spends = { minimum: 0.5, on: () => 1 };
    const poor = guarded({ name: "poor", spendCap: 1, spends, outcomes: [{ ...found, findings: [], spent: 0.5 }] });
    await poor.ask();
    const looked = await lookUpPerson(nobody, all, [poor.guard], context, poor.clock);
    expect(looked).toMatchObject({ unavailable: ["poor"], paused: [] });
    expect(poor.guard.availableAt).not.toBeNull();
  });

  test("names all who were not reached when the time is over", async () => {
    const providers = ["a", "b"].map((name) => guarded({ name }).guard);
    const over = { ...context, signal: AbortSignal.abort() };
    const looked = await lookUpPerson(nobody, all, providers, over, new FakeClock());
    expect(looked).toMatchObject({ merged: {}, asked: [], unavailable: ["a", "b"], paused: [] });
  });
});
