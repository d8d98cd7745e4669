import { describe, expect, test } from "bun:test";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import type { PersonIdentity, PersonQuery, PersonRecord, PersonScope } from "../../src/features/privacy/model.ts";
import { prospectContent } from "../../src/features/prospecting/content.ts";
import type { NewClone } from "../../src/features/voice/change-model.ts";
import { defaultVoiceSettings, type VoiceClone, type VoiceSample } from "../../src/features/voice/model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { alwaysOpen, claimAction, claimOf, createFactories, type Factories } from "../support/factories.ts";

const team: PersonScope = { workspaceId: null };
const email = "ada@example.com";
const profile = "https://network.example/in/ada";
const noOne: PersonIdentity = { emails: [], profiles: [], phones: [], leadIds: [], prospects: [] };
const given = (of: Partial<PersonQuery>): PersonQuery => ({ email: null, profile: null, leadId: null, ...of });

describe.each(enginesAndPostgres)("persons on $name", ({ open }) => {
  test("are found by any address, and by what was found with it", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    const lead = await make.storedLead(storage, user.id, { email, phone: "+442079460018" });
    await putProspect(storage, user.id, { email, networkUrl: profile, firstName: "Ada" });
    const other = await make.storedLead(storage, user.id, { email: "a.l@work.example", networkUrl: profile });
    await make.storedLead(storage, user.id);
    const found = await storage.persons.identify({ workspaceId: user.id }, given({ email }), true);
    expect(found).toMatchObject({
      emails: [email, "a.l@work.example"],
      profiles: [profile],
      phones: ["+442079460018"],
      leadIds: [lead.id, other.id],
    });
    expect(found!.prospects).toHaveLength(1);
    expect(await storage.persons.identify(team, given({ profile }), true)).toMatchObject({
      emails: [email, "a.l@work.example"].toSorted(),
    });
  });

  test("are what was given and no more, where an address may be of several", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    const office = "office@example.com";
    const lead = await make.storedLead(storage, user.id, { email: office, networkUrl: profile });
    await make.storedLead(storage, user.id, { networkUrl: profile, email: null });
    expect(await storage.persons.identify(team, given({ email: office }), false)).toEqual({
      ...noOne,
      emails: [office],
      leadIds: [lead.id],
    });
    expect(await storage.persons.identify(team, given({ leadId: lead.id }), false)).toEqual({
      ...noOne,
      leadIds: [lead.id],
    });
  });

  test("of somebody else are nobody", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    const { user: eve } = await make.storedUser(storage);
    const lead = await make.storedLead(storage, user.id, { email });
    const own: PersonScope = { workspaceId: eve.id };
    expect(await storage.persons.identify(own, given({ leadId: lead.id }), true)).toBeNull();
    expect(await storage.persons.identify(own, given({ email }), true)).toEqual({ ...noOne, emails: [email] });
    const identity = (await storage.persons.identify(team, given({ email }), true))!;
    expect(await recordsOf(storage, own, identity)).toEqual([]);
  });

  test("are known by the numbers of all records that became one, so that reports of imports lose them, too", async () => {
    await using opened = await open();
    const { storage, user } = await withUser(opened.storage);
    for (const draft of [{ email }, { networkUrl: profile }, { email, networkUrl: profile }])
      await putProspect(storage, user.id, draft);
    expect((await storage.persons.identify(team, given({ email }), true))?.prospects).toHaveLength(2);
  });

  test("are known by an address that went with an old job", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    const lead = await make.storedLead(storage, user.id, { email });
    await putProspect(storage, user.id, { email, networkUrl: profile, company: "Acme" });
    await putProspect(storage, user.id, { networkUrl: profile, company: "Globex" });
    const found = { emails: [email], profiles: [profile], leadIds: [lead.id] };
    for (const by of [given({ email }), given({ profile })]) {
      const person = (await storage.persons.identify(team, by, true))!;
      expect(person).toMatchObject(found);
      expect(person.prospects).toHaveLength(1);
    }
  });

  test("are erased everywhere, and everybody else is left alone", async () => {
    await using opened = await open();
    const { storage, make, user, account } = await withUser(opened.storage);
    const lead = await make.storedLead(storage, user.id, { email, networkUrl: profile, tags: ["vip"] });
    await putProspect(storage, user.id, { email, firstName: "Ada" });
    // Before the objection, which would refuse it: the lead ties the profile to the address.
    const job = await make.scheduledJob(storage, account, {
      action: { profileUrl: profile, message: "Hi Ada", actionType: "sendMessage" },
    });
    await make.storedSuppression(storage, user.id, "email", email, { reason: "Ada said no" });
    await storage.jobs.insert(make.job(user.id, { status: "failed", message: `Row 3: ${email} is there already` }));
    const bob = await make.storedLead(storage, user.id, { email: "bob@example.com", notes: `Knows ${email}` });
    await putProspect(storage, user.id, { email: "bob@example.com" });

    const identity = (await storage.persons.identify(team, given({ email }), true))!;
    expect(countsOf(await recordsOf(storage, team, identity))).toEqual({
      "jobs mention": 1,
      leads: 1,
      "leads mention": 1,
      actions: 1,
      conversations: 1,
      messages: 1,
      events: 1,
      prospects: 1,
      suppressions: 1,
    });
    // The queued message ends with its action.
    expect(await eraseAll(storage, identity)).toBe(7);
    expect(countsOf(await recordsOf(storage, team, identity))).toEqual({ suppressions: 1 });
    expect(await eraseAll(storage, identity)).toBe(0);

    const reopened = await opened.reopen();
    expect(await reopened.leads.get(user.id, lead.id)).toBeNull();
    expect(await reopened.leads.count(user.id, {})).toBe(1);
    expect(await reopened.leads.get(user.id, bob.id)).toMatchObject({ notes: "Knows [erased]", version: 2 });
    expect(await reopened.prospects.findPerson(user.id, { email, network: null, name: null })).toBeNull();
    expect(await reopened.suppressions.matches(user.id, { email })).toHaveLength(1);
    expect(
      (await reopened.suppressions.page({ workspaceId: user.id, filter: {}, after: null, limit: 9 })).entries,
    ).toMatchObject([{ value: null, reason: null }]);
    const after = await reopened.network.action(user.id, job.id);
    expect(after).toMatchObject({
      job: { status: "failed", metadata: { canceled: true, erased: true } },
      action: { state: "canceled", message: null, leadId: null },
    });
    expect(JSON.stringify(after)).not.toMatch(/Ada|ada@|in\/ada/);
  });

  test("are erased with their conversations, and redacted in what others write", async () => {
    await using opened = await open();
    const { storage, make, user, account } = await withUser(opened.storage);
    const lead = await make.storedLead(storage, user.id, { email, networkUrl: profile });
    const bob = "https://network.example/in/bob";
    const wrote = (profileKey: string, text: string) =>
      ({ profileKey, kind: "replied", at: startOfTests, messages: [{ id: "m1", at: startOfTests, text }] }) as const;
    const news = [wrote(profile, "Call me"), wrote(bob, `Ask ${email}`)];
    await storage.network.noteNews(account.id, news, startOfTests);
    const identity = (await storage.persons.identify(team, given({ email }), true))!;
    expect(countsOf(await recordsOf(storage, team, identity))).toEqual({
      ...{ leads: 1, messages: 1, "messages mention": 1, conversations: 1, "conversations mention": 1 },
      ...{ events: 2, "events mention": 1 },
    });
    await eraseAll(storage, identity);
    expect(countsOf(await recordsOf(storage, team, identity))).toEqual({});
    expect(await storage.leads.get(user.id, lead.id)).toBeNull();
    const page = { workspaceId: user.id, limit: 9, after: null, now: startOfTests };
    expect(await storage.inbox.conversations({ ...page, filter: {} })).toMatchObject([{ lastText: "Ask [erased]" }]);
    expect(await storage.inbox.conversations({ ...page, filter: { words: ["ada"] } })).toEqual([]);
    expect(await storage.inbox.conversations({ ...page, filter: { words: ["erased"] } })).toHaveLength(1);
  });

  test("are redacted in texts about something else, wherever those are, as strings and in JSON", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    const at = { createdAt: startOfTests, updatedAt: startOfTests };
    const filters = { person: { title: [`ask ADA@example.com`, "bob@example.com"] } };
    const search = { id: "search", workspaceId: user.id, name: `Like ${profile}`, source: "directory" as const };
    await storage.savedSearches.insert({ ...search, filters, ...at });
    await storage.credits.add(make.grant(user.id, { amount: 5, note: `For ${email}, with 100 % \\o/` }));
    const job = make.job(user.id, { status: "completed", metadata: { rows: [{ who: email }, { who: "bob" }] } });
    await storage.jobs.insert(job);
    await storage.voices.create(voiceOf(make, user.id));
    const identity = { ...noOne, emails: [email], profiles: [profile] };
    const mentions = {
      "credits mention": 1,
      "jobs mention": 1,
      "savedSearches mention": 1,
      "voices mention": 1,
      "voiceSamples mention": 1,
    };
    expect(countsOf(await recordsOf(storage, { workspaceId: user.id }, identity))).toEqual(mentions);
    expect(await eraseAll(storage, identity)).toBe(5);
    expect(await recordsOf(storage, team, identity)).toEqual([]);
    expect(await storage.savedSearches.get(user.id, "search")).toMatchObject({
      name: "Like [erased]",
      filters: { person: { title: ["ask [erased]", "bob@example.com"] } },
    });
    const all = { kind: null, createdFrom: null, createdTo: null, limit: 9, after: null };
    const [entry] = await storage.credits.page({ ...all, workspaceId: user.id });
    expect(entry).toMatchObject({ amount: 5, note: "For [erased], with 100 % \\o/" });
    expect(await storage.voices.get(user.id, "voice")).toMatchObject({
      labels: { about: "[erased]" },
      description: "é",
    });
    expect(await storage.jobs.get(user.id, job.id)).toMatchObject({
      metadata: { rows: [{ who: "[erased]" }, { who: "bob" }] },
    });
  });

  test("that an action is being sent to are erased once it has ended; it goes on to count", async () => {
    await using opened = await open();
    const { storage, make, user, account } = await withUser(opened.storage);
    await make.scheduledJob(storage, account, { action: { profileUrl: profile } });
    const due = await claimAction(storage);
    const identity = { ...noOne, profiles: [profile] };
    const found = await recordsOf(storage, team, identity);
    expect(await storage.persons.erase(identity, found, startOfTests)).toEqual({ erased: {}, inProgress: 1 });
    const end = {
      state: "completed",
      message: "Sent",
      metadata: { profileUrl: profile },
      reference: "r",
      relation: null,
    } as const;
    await storage.network.endAction(claimOf(due.job), { ...end, at: startOfTests });
    expect(await eraseAll(storage, identity)).toBe(2);
    const after = await storage.network.action(user.id, due.job.id);
    expect(after).toMatchObject({ action: { state: "completed", slotAt: startOfTests, reference: null } });
    expect(JSON.stringify(after)).not.toContain("/in/ada");
    expect(await storage.network.contact(user.id, account.id, profile)).toBeNull();
    // Still a minute to the next one.
    const next = await make.scheduledJob(storage, account);
    expect(next.runAt).toBe(startOfTests + 60_000);
  });

  test("an erased action is not run again", async () => {
    await using opened = await open();
    const { storage, make, user, account } = await withUser(opened.storage);
    const job = await make.scheduledJob(storage, account, { action: { profileUrl: profile } });
    await eraseAll(storage, { ...noOne, profiles: [profile] });
    expect(await storage.jobs.retry(user.id, job.id, startOfTests)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("erased"),
    });
  });

  test("a page is erased as a whole or not at all", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    const lead = await make.storedLead(storage, user.id, { email });
    const identity = (await storage.persons.identify(team, given({ email }), true))!;
    const found = await recordsOf(storage, team, identity);
    const broken = [...found, { ...found[0]!, place: "nowhere" }];
    expect(storage.persons.erase(identity, broken, startOfTests)).rejects.toThrow("nowhere");
    expect(await storage.leads.get(user.id, lead.id)).toEqual(lead);
  });

  test("the job that erased forgets whom, and ends together with its entry in the audit log", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    await storage.jobs.insert(make.job(user.id, { type: "person_erasure", payload: { who: email } }));
    const claims = { type: "person_erasure", limit: 1, now: startOfTests, leaseUntil: startOfTests + 1000 } as const;
    const [job] = await storage.jobs.claim(claims);
    const { id } = job!;
    expect(await storage.persons.forget({ id, attempt: 7 }, {})).toBe(false);
    expect(await storage.persons.forget(claimOf(job!), { who: null })).toBe(true);
    expect(await storage.jobs.get(user.id, id)).toMatchObject({ status: "running", payload: { who: null } });
    const end = { kind: "completed", message: "Erased", metadata: { records: {} }, at: startOfTests } as const;
    const audit = auditEntry(null, startOfTests, { action: "person.erased", workspaceId: user.id });
    expect(await storage.persons.finish({ id, attempt: 7 }, end, audit)).toBe(false);
    expect(await storage.persons.finish(claimOf(job!), end, audit)).toBe(true);
    const reopened = await opened.reopen();
    expect(await reopened.jobs.get(user.id, id)).toMatchObject({ status: "completed", payload: {} });
    expect(await reopened.audit.page({ filter: {}, before: null, limit: 9 })).toHaveLength(1);
  });

  test("imports that began before are waited for", async () => {
    await using opened = await open();
    const { storage, make, user } = await withUser(opened.storage);
    await make.storedJob(storage, user.id);
    expect(await storage.persons.hasRunningImports(team, startOfTests + 1)).toBe(false);
    await storage.jobs.claim({ type: "lead_import", limit: 1, now: startOfTests, leaseUntil: startOfTests + 1000 });
    expect(await storage.persons.hasRunningImports(team, startOfTests + 1)).toBe(true);
    expect(await storage.persons.hasRunningImports({ workspaceId: "somebody" }, startOfTests + 1)).toBe(false);
    expect(await storage.persons.hasRunningImports(team, startOfTests)).toBe(false);
  });
});

async function withUser(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const account = make.account(user.id, { workingHours: alwaysOpen });
  await storage.network.insertAccount(account);
  return { storage, make, user, account };
}
/** A clone of somebody's voice, whose texts and file mention the person. */
function voiceOf(make: Factories, workspaceId: string): NewClone {
  const job = make.job(workspaceId, { type: "voice_training" });
  const id = "voice";
  const at = { createdAt: startOfTests, updatedAt: startOfTests };
  const clone: VoiceClone = {
    ...{ id, workspaceId, name: "Bob", description: "é", labels: { about: email }, settings: defaultVoiceSettings },
    ...{ isActive: true, engine: "local", consent: null, quality: null, jobId: job.id, trainedAt: null, ...at },
  };
  const sample: VoiceSample = {
    ...{ id: "sample", cloneId: id, fileName: `${email}.wav`, format: "wav", bytes: 1000, sha256: "hash" },
    ...{ hasOriginal: true, derivedBytes: 0, quality: null, createdAt: startOfTests },
  };
  return { clone, samples: [sample], job, limits: { maxClones: 9, maxBytes: 1e6 } };
}

async function putProspect(storage: Storage, workspaceId: string, draft: Parameters<typeof prospectContent>[0]) {
  const checked = prospectContent(draft);
  if ("errors" in checked) throw new Error(JSON.stringify(checked.errors));
  await storage.prospects.put(workspaceId, [checked], startOfTests);
}

async function recordsOf(storage: Storage, scope: PersonScope, identity: PersonIdentity): Promise<PersonRecord[]> {
  const found: PersonRecord[] = [];
  for await (const page of storage.persons.records(scope, identity)) found.push(...page);
  return found;
}

/** As the job does; answers how many rows were erased. */
async function eraseAll(storage: Storage, identity: PersonIdentity): Promise<number> {
  let erased = 0;
  for await (const page of storage.persons.records(team, identity)) {
    const result = await storage.persons.erase(identity, page, startOfTests);
    erased += Object.values(result.erased).reduce((sum, count) => sum + count, 0);
  }
  return erased;
}

function countsOf(records: readonly PersonRecord[]): Record<string, number> {
  const names = records.map(({ place, isOwn }) => (isOwn ? place : `${place} mention`));
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all!.length]),
  );
}
