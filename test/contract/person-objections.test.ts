import { describe, expect, test } from "bun:test";
import { untouched, type Campaign, type Enrollment } from "../../src/features/campaigns/model.ts";
import type { Lead } from "../../src/features/leads/model.ts";
import { prospectContent } from "../../src/features/prospecting/content.ts";
import type { NewProspect } from "../../src/features/prospecting/directory-model.ts";
import { isRoleMailbox } from "../../src/platform/identity/role-mailbox.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { SuppressionKind } from "../../src/features/suppression/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { alwaysOpen, claimActions, claimJob, createFactories, type Factories } from "../support/factories.ts";

const profile = (name: string) => `https://network.example/in/${name}`;

describe.each(enginesAndPostgres)("an objection holds for the person on $name", ({ open }) => {
  test("an email address on the list blocks an action that names only the profile", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    await make.storedLead(storage, account.workspaceId, { email: "ada@example.com", networkUrl: profile("ada") });
    await make.storedSuppression(storage, account.workspaceId, "email", "ada@example.com");
    expect(await schedule(storage, make, account, { profileUrl: profile("ada") })).toMatchObject({
      kind: "objected",
      objection: { kind: "doNotContact", match: { kind: "email", isLinked: true } },
    });
    expect((await schedule(storage, make, account, { profileUrl: profile("bob") })).kind).toBe("scheduled");
  });

  test("an earlier action for a lead ties the profile that it went to to the lead", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const { id: leadId } = await make.storedLead(storage, account.workspaceId, { email: "ada@example.com" });
    await make.scheduledJob(storage, account, { action: { leadId, profileUrl: profile("ada") } });
    await make.storedSuppression(storage, account.workspaceId, "email", "ada@example.com");
    const action = { profileUrl: profile("ada"), actionType: "sendMessage" as const };
    expect((await schedule(storage, make, account, action)).kind).toBe("objected");
    expect(await claimActions(storage)).toEqual([]);
  });

  test("phone numbers link however they are written", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const spellings = ["+44 (0)20 7946 0018", "+442079460018 x12", "+44.20.7946-0018", "+44 20 7946 0018 ext. 5"];
    for (const [n, phone] of spellings.entries())
      await make.storedLead(storage, account.workspaceId, { email: null, networkUrl: profile(`ada-${n}`), phone });
    await make.storedSuppression(storage, account.workspaceId, "profile", profile("ada-0"));
    for (const n of spellings.keys())
      expect((await schedule(storage, make, account, { profileUrl: profile(`ada-${n}`) })).kind).toBe("objected");
  });

  test("phone numbers link leads that were there before the first entry, imported ones too, and after the list was empty again", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const { workspaceId } = account;
    const phoneOf = (n: number) => `+4420794600${String(n).padStart(2, "0")}`;
    const first = await make.storedLead(storage, workspaceId, { networkUrl: profile("p0"), phone: phoneOf(0) });
    await make.storedJob(storage, workspaceId);
    const job = await claimJob(storage);
    const row = (n: number) => make.importRow(n, { email: null, networkUrl: profile(`q${n}`), phone: phoneOf(n - 2) });
    await storage.leads.importBatch(await make.importBatch(storage, job, [row(2), row(3)]));
    const isBlocked = async (name: string) =>
      (await storage.network.schedule(make.actionRequest(account, { action: { profileUrl: profile(name) } }), true))
        .kind === "objected";
    const entry = await make.storedSuppression(storage, workspaceId, "profile", profile("p0"));
    expect([await isBlocked("q2"), await isBlocked("q3")]).toEqual([true, false]);
    await storage.suppressions.remove(workspaceId, entry.id, undefined);
    expect(await isBlocked("q2")).toBe(false);
    await make.storedLead(storage, workspaceId, { networkUrl: profile("r0"), phone: phoneOf(0) });
    await storage.leads.importBatch(await make.importBatch(storage, job, [row(4), { ...row(5), ...row(2), row: 5 }]));
    const again = make.suppression(workspaceId, "profile", profile("q4"));
    await storage.leads.remove({ workspaceId, id: first.id, version: null, suppress: [again], at: startOfTests });
    expect([await isBlocked("r0"), await isBlocked("q2"), await isBlocked("q4")]).toEqual([false, false, true]);
    await make.storedSuppression(storage, null, "phone", phoneOf(0));
    expect([await isBlocked("r0"), await isBlocked("q2"), await isBlocked("q3")]).toEqual([true, true, false]);
  });

  test("one identifier that very many people share does not link them", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    for (let n = 0; n < 40; n++)
      await make.storedLead(storage, account.workspaceId, { networkUrl: profile(`p${n}`), phone: "+442079460018" });
    await make.storedSuppression(storage, account.workspaceId, "profile", profile("p0"));
    expect((await schedule(storage, make, account, { profileUrl: profile("p1") })).kind).toBe("scheduled");
    await make.storedSuppression(storage, account.workspaceId, "phone", "+442079460018");
    expect((await schedule(storage, make, account, { profileUrl: profile("p2") })).kind).toBe("objected");
  });

  test("what another user has stored links nobody", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    const { user } = await make.storedUser(storage);
    await make.storedLead(storage, user.id, { email: "ada@example.com", networkUrl: profile("ada") });
    await make.storedSuppression(storage, null, "email", "ada@example.com");
    expect((await schedule(storage, make, account, { profileUrl: profile("ada") })).kind).toBe("scheduled");
  });

  test("a task that a person has not done yet is withdrawn", async () => {
    await using opened = await open();
    const { storage, account, make } = await withAccount(opened.storage);
    await make.storedLead(storage, account.workspaceId, { email: "ada@example.com", networkUrl: profile("ada") });
    await make.scheduledJob(storage, account, { action: { profileUrl: profile("ada") } });
    const [{ job } = { job: null }] = await claimActions(storage);
    const claim = { id: job!.id, attempt: job!.attempt };
    await storage.network.delegate(claim, {
      to: "person",
      reference: null,
      checkAt: null,
      message: "",
      at: startOfTests,
    });
    await storage.network.skipObjectedTasks(account.workspaceId, startOfTests);
    expect(await storage.network.countTasks(account.workspaceId)).toBe(1);
    await make.storedSuppression(storage, account.workspaceId, "email", "ada@example.com");
    await storage.network.skipObjectedTasks(account.workspaceId, startOfTests);
    expect(await storage.network.countTasks(account.workspaceId)).toBe(0);
    expect(await storage.jobs.get(account.workspaceId, job!.id)).toMatchObject({
      metadata: { skipReason: "doNotContact" },
    });
  });

  test.each([1, 2, 3, 4, 5, 6])(
    "any identifier on the list blocks every other of the person on every path, and no one else (seed %i)",
    async (seed) => {
      await using opened = await open();
      const { storage, account, make } = await withAccount(opened.storage);
      const { workspaceId } = account;
      const world = worldOf(seed);
      const leads = new Map<Lead, Identifier[]>();
      const inDirectory = new Set<string>();
      const records: Identifier[][] = [];
      for (const record of world.records) {
        if (world.random() < 0.5 && record.some(({ kind }) => kind !== "phone")) {
          const { email, networkUrl } = reachedBy(record);
          for (const { id } of await storage.prospects.put(workspaceId, [personWith(email, networkUrl)], startOfTests))
            inDirectory.add(id);
        } else {
          leads.set(await make.storedLead(storage, workspaceId, reachedBy(record)), record);
          records.push(record);
        }
      }
      // Entries of one person are merged: what counts is what stands there in the end.
      for (const id of inDirectory) {
        const { email, networkUrl } = (await storage.prospects.get(workspaceId, id))!;
        const values = { email: email ?? null, networkUrl: networkUrl ?? null };
        records.push(identifiersIn(values));
      }
      world.records = records;

      // In hand before the objection arrives; an account each, so that all are due at once.
      const profiles = distinct(world.records.flat()).filter((each) => each.kind === "profile");
      const workers = new Map<string, NetworkAccount>();
      for (const { value } of profiles) {
        workers.set(value, await storedAccount(storage, make, workspaceId, "worker"));
        await make.scheduledJob(storage, workers.get(value)!, {
          action: { profileUrl: value, details: { allowOverlap: true } },
        });
        const speaker = await storedAccount(storage, make, workspaceId);
        const action = { profileUrl: value, actionType: "sendVoiceMessage" } as const;
        await make.scheduledJob(storage, speaker, { action });
      }
      const prepared = await claimActions(storage, startOfTests, 1000);
      expect(prepared.map(({ task }) => task)).toEqual(profiles.map(() => "prepare"));
      // And those that wait.
      const accounts = new Map<string, NetworkAccount>();
      for (const { value } of profiles) accounts.set(value, await storedAccount(storage, make, workspaceId));
      const waiting = profiles.filter((_, n) => n % 2 === 0);
      for (const { value } of waiting)
        await make.scheduledJob(storage, accounts.get(value)!, {
          action: { profileUrl: value, details: { allowOverlap: true } },
        });

      for (const { kind, value } of world.objections)
        await make.storedSuppression(storage, world.random() < 0.5 ? workspaceId : null, kind, value);

      const tried = { blocked: 0, open: 0 };
      const check = (what: string, identifiers: readonly Identifier[], isBlocked: boolean): void => {
        const expected = isObjected(world, identifiers);
        tried[expected ? "blocked" : "open"]++;
        const shown = identifiers.map(({ value }) => value).join(" ");
        expect({ what, shown, isBlocked }).toEqual({ what, shown, isBlocked: expected });
      };
      const due = new Set((await claimActions(storage, startOfTests, 1000)).map(({ action }) => action.profileUrl));
      for (const each of waiting) check("waiting", [each], !due.has(each.value));
      for (const { job, action } of prepared) {
        const isSent = await storage.network.markSending({ id: job.id, attempt: job.attempt }, startOfTests);
        check("prepared voice message", [{ kind: "profile", value: action.profileUrl }], !isSent);
      }
      const leaseUntil = startOfTests + 60_000;
      for (const each of profiles) {
        const { id: accountId } = workers.get(each.value)!;
        const { claimed } = await storage.network.claimForWorker({
          workspaceId,
          accountId,
          now: startOfTests,
          leaseUntil,
        });
        check("worker", [each], claimed === null);
      }
      for (const each of profiles) {
        const of = accounts.get(each.value)!;
        const action = { profileUrl: each.value, actionType: "sendMessage" as const };
        for (const actionType of ["sendMessage", "sendInMail", "visitProfile", "sendVoiceMessage"] as const) {
          const outcome = await storage.network.schedule(
            make.actionRequest(of, { action: { ...action, actionType } }),
            true,
          );
          check(`dry run of ${actionType}`, [each], outcome.kind === "objected");
        }
        check("schedule", [each], (await schedule(storage, make, of, action)).kind === "objected");
        const record = make.actionRequest(of, { action: { ...action, state: "completed", slotAt: startOfTests } });
        check("record", [each], (await storage.network.record(record, null)).kind === "objected");
      }
      for (const [lead, identifiers] of leads) {
        const request = make.actionRequest(account, {
          action: { leadId: lead.id, profileUrl: profile(`of-${lead.id}`) },
        });
        const outcome = await storage.network.schedule(request, true);
        check("schedule by lead", identifiers, outcome.kind === "objected");
      }
      const isListed = await storage.suppressions.among(workspaceId, [...leads.keys()]);
      for (const [n, identifiers] of [...leads.values()].entries()) check("lead list", identifiers, isListed[n]!);
      const campaign = campaignOf(make, workspaceId, account.id);
      await storage.campaigns.insert(campaign);
      for (const [lead, identifiers] of leads) {
        const enrollment = enrollmentOf(make, campaign, lead, profile(`of-${lead.id}`));
        const [refusal] = await storage.campaigns.enroll([enrollment], world.random() < 0.5, startOfTests);
        check("enrollment", identifiers, refusal === "doNotContact");
      }
      for (const each of distinct(world.records.flat())) {
        const target = { [each.kind === "profile" ? "profileKey" : each.kind]: each.value };
        check("check", [each], (await storage.suppressions.matches(workspaceId, target)).length > 0);
        const inserted = make.leadInsert(workspaceId, { ...reachedBy([each]), firstName: null });
        if (each.kind === "phone") continue; // a number alone makes no lead
        check("new lead", [each], (await storage.leads.previewInsert(inserted)).kind === "doNotContact");
      }
      await make.storedJob(storage, workspaceId);
      const job = await claimJob(storage);
      const wanted = distinct(world.records.flat()).filter(({ kind }) => kind !== "phone");
      const rows = wanted.map((each, n) => make.importRow(n + 2, { ...reachedBy([each]), firstName: null }));
      await storage.leads.importBatch(await make.importBatch(storage, job, rows));
      const report = { workspaceId, jobId: job.id, outcome: "skipped" as const, afterRow: 0, limit: 1000 };
      const skipped = new Map(
        (await storage.leads.importReport(report)).map(({ row, errors }) => [row, errors[0]?.code]),
      );
      for (const [n, each] of wanted.entries()) check("import", [each], skipped.get(n + 2) === "DO_NOT_CONTACT");
      expect(tried.blocked).toBeGreaterThan(50);
      expect(tried.open).toBeGreaterThan(50);
    },
  );
});

type Identifier = { kind: "email" | "profile" | "phone"; value: string };
type World = {
  random: () => number;
  records: Identifier[][];
  objections: { kind: SuppressionKind; value: string }[];
};

/** People of several leads each, some of which share a role mailbox; a part of the people have objected. */
function worldOf(seed: number): World {
  const random = seededRandom(seed);
  const records: Identifier[][] = [];
  const objections: World["objections"] = [];
  for (let person = 0; person < 40; person++) {
    const own = identifiersOf(person).filter(() => random() < 0.7);
    if (own.length === 0) own.push(identifiersOf(person)[0]!);
    const count = 1 + Math.floor(random() * 4);
    for (let n = 0; n < count; n++) {
      const record = (["email", "profile", "phone"] as const).flatMap((kind) => {
        const choices = own.filter((each) => each.kind === kind);
        const chosen = choices[Math.floor(random() * choices.length)];
        return chosen === undefined || random() < 0.25 ? [] : [chosen];
      });
      if (!record.some(({ kind }) => kind === "email") && random() < 0.3)
        record.push({ kind: "email", value: `info@company-${person % 5}.example` });
      if (record.length > 0) records.push(record);
    }
    const used = records.flat().filter((each) => own.includes(each));
    const objected = used[Math.floor(random() * used.length)];
    if (objected === undefined || random() < 0.6) continue;
    const isByDomain = objected.kind === "email" && random() < 0.3;
    objections.push(isByDomain ? { kind: "domain", value: objected.value.split("@")[1]! } : objected);
  }
  return { random, records, objections };
}

function identifiersOf(person: number): Identifier[] {
  const numbered = (n: number): Identifier[] => [
    { kind: "email", value: `person${person}@mail-${person}-${n}.example` },
    { kind: "profile", value: profile(`person-${person}-${n}`) },
    { kind: "phone", value: `+44207${n}${String(person).padStart(6, "0")}` },
  ];
  return [0, 1, 2].flatMap(numbered);
}

/** By a walk over the records that shares nothing with the product. */
function isObjected({ records, objections }: World, start: readonly Identifier[]): boolean {
  const person = new Set(start.map(({ value }) => value));
  for (let size = -1; size !== person.size;) {
    size = person.size;
    for (const record of records)
      if (record.some(({ value }) => person.has(value) && !isRoleMailbox(value)))
        for (const { value } of record) person.add(value);
  }
  return objections.some(({ kind, value }) =>
    [...person].some((each) => (kind === "domain" ? each.endsWith(`@${value}`) : each === value)),
  );
}

/** A directory entry of somebody with these. */
function personWith(email: string | null, networkUrl: string | null): NewProspect {
  const checked = prospectContent({ ...(email !== null && { email }), ...(networkUrl !== null && { networkUrl }) });
  if ("errors" in checked) throw new Error(JSON.stringify(checked.errors));
  return checked;
}

function campaignOf(make: Factories, workspaceId: string, accountId: string): Campaign {
  return {
    id: make.ids.next(startOfTests),
    workspaceId,
    name: "Spring",
    state: "running",
    steps: [{ type: "action", actionType: "visitProfile" }],
    accountIds: [accountId],
    settings: { stopOnReply: true, excludeOtherCampaigns: false, excludeContactedDays: null, allowOverlap: false },
    winners: {},
    version: 1,
    firstStep: 0,
    startedAt: null,
    createdAt: startOfTests,
    updatedAt: startOfTests,
  };
}

function enrollmentOf(
  make: Factories,
  { id: campaignId, workspaceId, accountIds: [accountId] }: Campaign,
  { id: leadId }: Lead,
  profileKey: string,
): Enrollment {
  return {
    ...{ id: make.ids.next(startOfTests), campaignId, workspaceId, leadId, accountId: accountId!, profileKey },
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

function distinct(identifiers: readonly Identifier[]): Identifier[] {
  return [...new Map(identifiers.map((each) => [each.value, each])).values()];
}

function identifiersIn({ email, networkUrl }: { email: string | null; networkUrl: string | null }): Identifier[] {
  return [
    ...(email === null ? [] : [{ kind: "email", value: email } as const]),
    ...(networkUrl === null ? [] : [{ kind: "profile", value: networkUrl } as const]),
  ];
}

function reachedBy(record: readonly Identifier[]): Pick<Lead, "email" | "networkUrl" | "phone"> {
  const valueOf = (kind: Identifier["kind"]) => record.find((each) => each.kind === kind)?.value ?? null;
  return { email: valueOf("email"), networkUrl: valueOf("profile"), phone: valueOf("phone") };
}

/** Mulberry32: the same in every run. */
function seededRandom(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function withAccount(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  return { storage, make, account: await storedAccount(storage, make, user.id) };
}

async function storedAccount(
  storage: Storage,
  make: Factories,
  workspaceId: string,
  connector: NetworkAccount["connector"] = "simulated",
): Promise<NetworkAccount> {
  const account = make.account(workspaceId, { workingHours: alwaysOpen, connector });
  await storage.network.insertAccount(account);
  return account;
}

function schedule(
  storage: Storage,
  make: Factories,
  account: NetworkAccount,
  action: NonNullable<Parameters<Factories["actionRequest"]>[1]>["action"],
) {
  return storage.network.schedule(make.actionRequest(account, { action }), false);
}
