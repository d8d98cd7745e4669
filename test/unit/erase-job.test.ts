import { expect, test } from "bun:test";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { Interruption } from "../../src/platform/jobs/interruption.ts";
import { retryOnDiskFault } from "../../src/platform/jobs/disk-retry.ts";
import type { Job } from "../../src/platform/jobs/model.ts";
import { createLog } from "../../src/platform/base/log.ts";
import type { Lead } from "../../src/features/leads/model.ts";
import { createErasureHandler } from "../../src/features/privacy/erase-job.ts";
import type { PersonStore } from "../../src/features/privacy/store.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { SuppressionService } from "../../src/features/suppression/service.ts";
import { FakeClock } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimOf, createFactories } from "../support/factories.ts";

const email = "ada@example.com";
const profile = "https://network.example/in/ada";
const open = engines[0]!.open;

/** A job that is to erase a person, and the attempts at it. */
async function withErasure(storage: Storage) {
  const make = createFactories();
  const clock = new FakeClock();
  const log = createLog("silent");
  const { user } = await make.storedUser(storage);
  const account = make.account(user.id, { workingHours: alwaysOpen });
  await storage.network.insertAccount(account);
  const lead = await make.storedLead(storage, user.id, { email, networkUrl: profile });
  const suppressions = new SuppressionService(storage.suppressions, clock, make.ids, log, null);
  const spoken: (string | null)[] = [];

  async function begin(): Promise<Job> {
    const identity = await storage.persons.identify(
      { workspaceId: null },
      { email, profile: null, leadId: null },
      true,
    );
    const audit = auditEntry(null, clock.now(), { action: "person.erased", workspaceId: null });
    const payload = { scope: { workspaceId: null }, identity, suppress: true, audit };
    const metadata = { records: {}, waiting: 0 };
    return make.storedJob(storage, user.id, { type: "person_erasure", payload, metadata, createdAt: clock.now() });
  }

  /** One attempt, as the runner makes it; `store` may stand in for parts of the real one. */
  async function attempt(store: Partial<PersonStore> = {}) {
    const { persons } = storage;
    const handler = createErasureHandler({
      emptyMemory: async () => {},
      store: {
        identify: persons.identify,
        records: persons.records,
        erase: persons.erase,
        suppress: persons.suppress,
        hasRunningImports: persons.hasRunningImports,
        forget: persons.forget,
        scrub: persons.scrub,
        finish: persons.finish,
        ...store,
      },
      suppressions,
      forgetSpeech: async (workspaceId) => void spoken.push(workspaceId),
      forgetFailedRows: async () => {},
      clock,
      log,
    });
    const now = clock.now();
    const [job] = await storage.jobs.claim({
      type: "person_erasure",
      limit: 1,
      now,
      leaseUntil: now + 60_000,
    });
    const claim = claimOf(job!);
    const interruption = new Interruption();
    const { signal } = interruption;
    const retry = <T>(write: () => Promise<T>) => retryOnDiskFault(write, { clock, interruption, onFault: () => {} });
    const end = await handler.run(job!, {
      claim,
      signal,
      isHeld: () => true,
      leaseUntil: () => now + 60_000,
      retryOnDiskFault: retry,
    });
    if (end !== null) await storage.jobs.end(claim, end);
    return storage.jobs.get(user.id, job!.id);
  }

  return { make, clock, user, account, lead, spoken, begin, attempt };
}

test("an attempt that was cut off half way is finished by the next", async () => {
  await using opened = await open();
  const { storage } = opened;
  const { make, clock, user, account, lead, begin, attempt } = await withErasure(storage);
  const job = await make.scheduledJob(storage, account, { action: { profileUrl: profile, leadId: lead.id } });
  await begin();
  let pages = 0;
  const erase: PersonStore["erase"] = (...page) => {
    if (++pages === 2) throw new Error("The process died");
    return storage.persons.erase(...page);
  };
  expect(attempt({ erase })).rejects.toThrow("died");
  await Bun.sleep(0);
  clock.advance(60_000); // the lease has ended
  const done = await attempt();
  expect(done).toMatchObject({ status: "completed", payload: {} });
  expect(await storage.leads.get(user.id, lead.id)).toBeNull();
  expect(await storage.network.action(user.id, job.id)).toMatchObject({ action: { state: "canceled", leadId: null } });
  expect(await storage.suppressions.matches(user.id, { email })).toHaveLength(1);
});

test("what is being carried out is waited for, and the rest is erased at once", async () => {
  await using opened = await open();
  const { storage } = opened;
  const { make, clock, user, account, lead, begin, attempt } = await withErasure(storage);
  await make.scheduledJob(storage, account, { action: { profileUrl: profile } });
  const due = await claimAction(storage, clock.now());
  await begin();
  expect(await attempt()).toMatchObject({
    status: "pending",
    metadata: { waiting: 1, records: { leads: 1, events: 1 } },
  });
  expect(await storage.leads.get(user.id, lead.id)).toBeNull();
  await storage.network.endAction(claimOf(due.job), actionEnd({ at: clock.now() }));
  clock.advance(60_000);
  expect(await attempt()).toMatchObject({
    status: "completed",
    message: "Erased 4 entries",
    metadata: { waiting: 0, records: { leads: 1, actions: 1, contacts: 1, events: 1 } },
  });
});

test("a file that is being read when it begins is waited for, so that nobody comes back with it", async () => {
  await using opened = await open();
  const { storage } = opened;
  const { make, clock, user, begin, attempt } = await withErasure(storage);
  await make.storedJob(storage, user.id);
  const [reading] = await storage.jobs.claim({ type: "lead_import", limit: 1, now: clock.now(), leaseUntil: 9e15 });
  clock.advance(1000);
  await begin();
  expect(await attempt()).toMatchObject({ status: "pending", message: expect.stringContaining("imports") });
  const end = { kind: "completed", message: "Read", metadata: {}, at: clock.now() } as const;
  await storage.jobs.end(claimOf(reading!), end);
  clock.advance(60_000);
  expect(await attempt()).toMatchObject({ status: "completed" });
});

test("what an import stores right before it ends is erased by the next attempt", async () => {
  await using opened = await open();
  const { storage } = opened;
  const { make, clock, user, begin, attempt } = await withErasure(storage);
  await begin();
  let isReading = true;
  let late: Lead | null = null;
  const { persons } = storage;
  const waiting = await attempt({
    hasRunningImports: async () => isReading,
    async *records(scope, identity) {
      const pages = await Array.fromAsync(persons.records(scope, identity));
      yield* pages;
      if (pages.some((page) => page.some(({ place }) => place !== "suppressions"))) return;
      late = await make.storedLead(storage, user.id, { email: "bob@example.com", notes: `Knows ${email}` });
      isReading = false;
    },
  });
  expect(waiting).toMatchObject({ status: "pending", message: expect.stringContaining("imports") });
  clock.advance(60_000);
  expect(await attempt()).toMatchObject({ status: "completed" });
  expect(await storage.leads.get(user.id, late!.id)).toMatchObject({ notes: "Knows [erased]" });
});

test("as long as the disk can't be overwritten it is tried again, without knowing whom any more", async () => {
  await using opened = await open();
  const { clock, begin, attempt } = await withErasure(opened.storage);
  await begin();
  const tried = await attempt({ scrub: async () => false });
  expect(tried).toMatchObject({ status: "pending", payload: { identity: null } });
  expect(JSON.stringify(tried)).not.toContain(email);
  clock.advance(60_000);
  expect(await attempt()).toMatchObject({ status: "completed", message: "Erased 2 entries" });
});

test("speech that is kept is forgotten by the attempt that ends it, also when the one before erased all and was cut off", async () => {
  await using opened = await open();
  const { storage } = opened;
  const { make, clock, account, spoken, begin, attempt } = await withErasure(storage);
  await make.scheduledJob(storage, account, {
    action: { profileUrl: profile, actionType: "sendVoiceMessage", message: "Hi Ada", details: { voiceId: "v1" } },
  });
  await begin();
  const erase: PersonStore["erase"] = async (...page) => {
    await storage.persons.erase(...page);
    throw new Error("killed");
  };
  expect(attempt({ erase })).rejects.toThrow("killed");
  expect(spoken).toEqual([]);
  clock.advance(120_000);
  expect(await attempt()).toMatchObject({ status: "completed" });
  expect(spoken).toEqual([null]);
});
