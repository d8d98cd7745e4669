import { describe, expect, test } from "bun:test";
import type { Event } from "../../src/platform/events/model.ts";
import type { EventPageRequest } from "../../src/platform/events/store.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { actionEnd, alwaysOpen, claimAction, claimJob, claimOf, createFactories } from "../support/factories.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const all: Omit<EventPageRequest, "scopes"> = { filter: {}, after: null, before: null, newestFirst: false, limit: 100 };

describe.each(enginesAndPostgres)("events on $name", ({ open }) => {
  describe("the log", () => {
    test("tells each user of the user's own events, in the order in which they happened", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const other = (await make.storedUser(storage)).user.id;
      const ours = [await make.storedLead(storage, workspaceId), await make.storedLead(storage, workspaceId)];
      const theirs = await make.storedLead(storage, other);
      expect((await told(storage, workspaceId)).map(({ leadId }) => leadId)).toEqual(ours.map(({ id }) => id));
      expect((await told(storage, other)).map(({ leadId }) => leadId)).toEqual([theirs.id]);
      const [first, second] = await told(storage, workspaceId);
      expect(second!.id).toBeGreaterThan(first!.id);
      expect(first).toEqual({
        id: first!.id,
        type: "lead.created",
        workspaceId,
        at: startOfTests,
        leadId: ours[0]!.id,
        jobId: null,
        campaignId: null,
        accountId: null,
        voiceId: null,
        data: {},
        actorId: null,
      });
    });

    test("is narrowed to types and subjects, alone and together, and paged in both directions", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const lead = await make.storedLead(storage, workspaceId);
      const other = await make.storedLead(storage, workspaceId);
      for (const { workspaceId: owner, id } of [lead, other])
        await storage.leads.remove({ workspaceId: owner, id, version: null, at: startOfTests });
      const types = async (request: Partial<EventPageRequest>) =>
        (await storage.events.page({ ...all, scopes: [workspaceId], ...request })).map(
          ({ type, leadId }) => `${type} ${leadId === lead.id ? "lead" : "other"}`,
        );
      const [created, otherCreated, deleted, otherDeleted] = [
        "lead.created lead",
        "lead.created other",
        "lead.deleted lead",
        "lead.deleted other",
      ];
      expect(await types({})).toEqual([created, otherCreated, deleted, otherDeleted]);
      expect(await types({ newestFirst: true, limit: 3 })).toEqual([otherDeleted, deleted, otherCreated]);
      expect(await types({ filter: { leadId: lead.id } })).toEqual([created, deleted]);
      expect(await types({ filter: { types: ["lead.deleted"] } })).toEqual([deleted, otherDeleted]);
      expect(await types({ filter: { types: ["lead.deleted", "lead.created"] }, limit: 3 })).toEqual([
        created,
        otherCreated,
        deleted,
      ]);
      expect(await types({ filter: { types: ["lead.deleted"], leadId: other.id } })).toEqual([otherDeleted]);
      expect(await types({ filter: { leadId: lead.id, jobId: "nothing" } })).toEqual([]);
      const ids = (await told(storage, workspaceId)).map(({ id }) => id);
      expect(await types({ after: ids[0]!, before: ids[3]! })).toEqual([otherCreated, deleted]);
      expect(await types({ after: ids[1]!, filter: { leadId: lead.id } })).toEqual([deleted]);
      expect(await types({ scopes: ["nobody"] })).toEqual([]);
      expect(await types({ scopes: [] })).toEqual([]);
    });

    test("a foreign id tells nothing", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const other = (await make.storedUser(storage)).user.id;
      const { id } = await make.storedLead(storage, other);
      expect(await told(storage, workspaceId, { filter: { leadId: id } })).toEqual([]);
    });

    test("what concerns the whole installation is told to whoever asks for it, in one order with the rest", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      await make.storedLead(storage, workspaceId);
      await storage.keys.insert(make.key(null));
      await make.storedLead(storage, workspaceId);
      const both = await storage.events.page({ ...all, scopes: [workspaceId, null] });
      expect(both.map(({ type }) => type)).toEqual(["lead.created", "key.created", "lead.created"]);
      expect((await told(storage, workspaceId)).map(({ type }) => type)).toEqual(["lead.created", "lead.created"]);
    });

    test("everybody's events are read behind an id, and none comes before those that were read", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      expect(await storage.events.last()).toBe(0);
      await Promise.all([1, 2, 3].map(() => make.storedLead(storage, workspaceId)));
      const first = await storage.events.since(0, 2);
      expect(first).toHaveLength(2);
      const rest = await storage.events.since(first[1]!.id, 10);
      expect(rest).toHaveLength(1);
      expect(rest[0]!.id).toBe(await storage.events.last());
      expect(await storage.events.since(rest[0]!.id, 10)).toEqual([]);
    });

    test("forgets what is old, in slices, and never gives an id twice", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      for (const at of [0, 1, 2, 3])
        await make.storedLead(storage, workspaceId, { createdAt: startOfTests + at, updatedAt: startOfTests + at });
      const last = await storage.events.last();
      expect(await storage.events.deleteBefore(startOfTests + 3, 2)).toBe(2);
      expect(await storage.events.deleteBefore(startOfTests + 3, 2)).toBe(1);
      expect(await storage.events.deleteBefore(startOfTests + 3, 2)).toBe(0);
      expect(await told(storage, workspaceId)).toHaveLength(1);
      expect(await storage.events.deleteBefore(startOfTests + day, 10)).toBe(1);
      const reopened = await opened.reopen();
      expect(await reopened.events.last()).toBe(last);
      await make.storedLead(reopened, workspaceId);
      expect(await reopened.events.last()).toBe(last + 1);
    });

    test("whoever listens is told once events are committed, and not after it has had enough", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      let seen = 0;
      const stop = storage.events.onNew(() => void seen++);
      await make.storedLead(storage, workspaceId);
      expect(seen).toBe(1);
      await storage.users.change(workspaceId, null, () => ({ change: { name: "Ada", updatedAt: startOfTests } }));
      expect(seen).toBe(1);
      stop();
      await make.storedLead(storage, workspaceId);
      expect(seen).toBe(1);
    });

    test("an event survives a crash together with its cause", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const lead = await make.storedLead(storage, workspaceId);
      const reopened = await opened.reopen();
      expect(await reopened.leads.get(workspaceId, lead.id)).toEqual(lead);
      expect(await told(reopened, workspaceId)).toMatchObject([{ type: "lead.created", leadId: lead.id }]);
    });
  });

  describe("of leads", () => {
    test("a change is told with the names of its fields; what changes nothing is not told", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const lead = await make.storedLead(storage, workspaceId);
      const change = make.leadUpdate(lead, { title: "Countess", status: "qualified", tags: ["math"] });
      await storage.leads.update(change);
      await storage.leads.update({ ...change, version: 2 });
      await storage.leads.update({
        ...make.leadUpdate(lead, { ...change.content, phone: "1" }),
        version: 3,
        cause: "enrichment",
      });
      const events = await told(storage, workspaceId, { filter: { leadId: lead.id } });
      expect(events.map(({ type, data }) => [type, data])).toEqual([
        ["lead.created", {}],
        ["lead.updated", { fields: ["title", "status", "tags"], status: "qualified" }],
        ["lead.enriched", { fields: ["phone"] }],
      ]);
    });

    test("what was refused is not told", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const lead = await make.storedLead(storage, workspaceId);
      await storage.leads.insert(make.leadInsert(workspaceId, { email: lead.email }, "error"));
      await storage.leads.remove({ workspaceId, id: lead.id, version: 7, at: startOfTests });
      await storage.leads.update({ ...make.leadUpdate(lead, { title: "x" }), version: 9 });
      expect(await told(storage, workspaceId)).toHaveLength(1);
    });

    test("an import is told once, when it ends; a dry run never", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      for (const dryRun of [false, true]) {
        await make.storedJob(storage, workspaceId, { type: "lead_import", metadata: { dryRun } });
        const job = await claimJob(storage);
        await storage.leads.importBatch(
          await make.importBatch(storage, job, [make.importRow(1), make.importRow(2)], { dryRun }),
        );
        expect(await told(storage, workspaceId)).toHaveLength(dryRun ? 1 : 0);
        const metadata = { rows: 2, created: 2, updated: 0, skipped: 0, failed: 0 };
        await storage.jobs.end(claimOf(job), { kind: "completed", message: "", metadata, at: startOfTests });
        expect(await told(storage, workspaceId)).toMatchObject([
          { type: "leads.imported", data: { ...metadata, status: "completed" } },
        ]);
      }
    });
  });

  describe("of the network", () => {
    test("an action is told from its place in the queue to its end, with what it is about", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const { account, leadId } = await withAccount(storage, make, workspaceId);
      const job = await make.scheduledJob(storage, account, { action: { leadId } });
      const due = await claimAction(storage);
      await storage.network.endAction(claimOf(due.job), actionEnd());
      const events = await told(storage, workspaceId, { filter: { jobId: job.id } });
      expect(events.map(({ type }) => type)).toEqual(["action.scheduled", "action.started", "action.completed"]);
      for (const event of events)
        expect(event).toMatchObject({ leadId, accountId: account.id, data: { actionType: due.action.actionType } });
      expect(await told(storage, workspaceId, { filter: { accountId: account.id } })).toEqual(events);
    });

    test.each([
      ["skipped", "action.skipped"],
      ["failed", "action.failed"],
      ["unknown", "action.failed"],
    ] as const)("an action that ends as %s is told as %s, with the reason", async (state, type) => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const { account } = await withAccount(storage, make, workspaceId);
      await make.scheduledJob(storage, account);
      const due = await claimAction(storage);
      const metadata = { reason: "They said no." };
      await storage.network.endAction(claimOf(due.job), actionEnd({ state, metadata }));
      expect((await told(storage, workspaceId)).at(-1)).toMatchObject({
        type,
        data: { outcome: state, reason: "They said no." },
      });
    });

    test("a void claim tells nothing", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const { account } = await withAccount(storage, make, workspaceId);
      await make.scheduledJob(storage, account);
      const due = await claimAction(storage);
      const before = await told(storage, workspaceId);
      await storage.network.endAction({ id: due.job.id, attempt: 7 }, actionEnd());
      expect(await told(storage, workspaceId)).toEqual(before);
    });

    test("a signal of the network is told of the action and of the account", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const { account } = await withAccount(storage, make, workspaceId);
      await make.scheduledJob(storage, account);
      const due = await claimAction(storage);
      const at = startOfTests + 1;
      await storage.network.defer(claimOf(due.job), { kind: "limited", retryAt: null, reason: "Slow down", at });
      const types = (await told(storage, workspaceId)).map(({ type }) => type).slice(-2);
      expect(types.toSorted()).toEqual(["account.limit_reached", "action.postponed"]);
    });

    test("who accepts or answers is told once, with the lead and the account", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const { account, leadId } = await withAccount(storage, make, workspaceId);
      await make.scheduledJob(storage, account, { action: { leadId, actionType: "sendConnectionRequest" } });
      const due = await claimAction(storage);
      await storage.network.endAction(claimOf(due.job), actionEnd());
      const { profileKey } = due.action;
      const news = [
        { profileKey, kind: "accepted", at: startOfTests + minute },
        { profileKey, kind: "replied", at: startOfTests + 2 * minute, text: "Call me." },
      ] as const;
      for (let time = 0; time < 2; time++) await storage.network.noteNews(account.id, [...news], startOfTests + day);
      const events = await told(storage, workspaceId, {
        filter: { types: ["connection.accepted", "message.replied"] },
      });
      expect(events).toMatchObject([
        { type: "connection.accepted", leadId, accountId: account.id, data: {} },
        { type: "message.replied", leadId, accountId: account.id, data: { text: "Call me.", profileUrl: profileKey } },
      ]);
    });
  });

  describe("of keys and credits", () => {
    test("a key is told when it is made, gets a new secret, is about to expire, and goes", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const key = make.key(workspaceId, { expiresAt: startOfTests + day });
      await storage.keys.insert(key);
      await storage.keys.update(key.id, { name: "renamed", updatedAt: startOfTests });
      await storage.keys.update(key.id, { hash: "other", updatedAt: startOfTests });
      const warn = () => storage.keys.warnOfEnds(startOfTests, startOfTests + 7 * day, 10);
      expect([await warn(), await warn()]).toEqual([1, 0]);
      await storage.keys.remove(key.id, startOfTests);
      const events = await told(storage, workspaceId);
      expect(events.map(({ type }) => type)).toEqual(["key.created", "key.regenerated", "key.expiring", "key.deleted"]);
      expect(JSON.stringify(events)).not.toContain(key.hash);
    });

    test("a key that was leaked is told once a day, also by the next process, and a global one to admins", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      const [key, other, global] = [make.key(workspaceId), make.key(workspaceId), make.key(null)];
      for (const each of [key, other, global]) await storage.keys.insert(each);
      const filter = { types: ["key.leaked"] as const };
      const toldOf = async (from: Storage, owner: string | null) =>
        (await from.events.page({ ...all, scopes: [owner], filter })).map(({ at, data }) => [at, data["keyId"]]);
      await Promise.all(
        [key, key, global].map((each) => storage.keys.tellLeak(each, startOfTests, startOfTests - day)),
      );
      const next = await opened.reopen();
      for (const each of [key, other]) await next.keys.tellLeak(each, startOfTests + 1, startOfTests + 1 - day);
      await next.keys.tellLeak(key, startOfTests + day, startOfTests);
      expect(await toldOf(next, workspaceId)).toEqual([
        [startOfTests, key.id],
        [startOfTests + 1, other.id],
        [startOfTests + day, key.id],
      ]);
      expect(await toldOf(next, null)).toEqual([[startOfTests, global.id]]);
    });

    test("credits that run low or out are told once a day", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      await storage.credits.add(make.grant(workspaceId, { amount: 101 }));
      const charge = (amount: number, at = startOfTests) =>
        storage.credits.charge(make.charge(workspaceId, { amount, at, purpose: "enrichment" }));
      await charge(1);
      expect(await told(storage, workspaceId)).toEqual([]);
      await charge(1);
      await charge(50);
      for (let time = 0; time < 3; time++) await charge(1000);
      expect((await told(storage, workspaceId)).map(({ type, data }) => [type, data])).toEqual([
        ["credits.low", { balance: 99 }],
        ["credits.exhausted", { balance: 49 }],
      ]);
      await charge(1000, startOfTests + day);
      expect((await told(storage, workspaceId)).map(({ type }) => type)).toEqual([
        "credits.low",
        "credits.exhausted",
        "credits.exhausted",
      ]);
    });

    test("a search is told when it was paid for, and not again when it is repeated", async () => {
      await using opened = await open();
      const { storage, make, workspaceId } = await withUser(opened.storage);
      await storage.credits.add(make.grant(workspaceId, { amount: 1000 }));
      const search = make.charge(workspaceId, { amount: 25, purpose: "search", request: "search:1" });
      for (let time = 0; time < 2; time++) await storage.credits.charge(search);
      expect(await told(storage, workspaceId)).toMatchObject([
        { type: "prospect.searched", data: { creditsUsed: 25 } },
      ]);
    });
  });
});

async function told(storage: Storage, workspaceId: string, request: Partial<EventPageRequest> = {}): Promise<Event[]> {
  return storage.events.page({ ...all, scopes: [workspaceId], ...request });
}

/** Of a user whose own arrival is not told. */
async function withUser(storage: Storage) {
  const make = createFactories(Math.floor(Math.random() * 1e9));
  const { user } = await make.storedUser(storage);
  return { storage, make, workspaceId: user.id };
}

async function withAccount(storage: Storage, make: ReturnType<typeof createFactories>, workspaceId: string) {
  const account = make.account(workspaceId, { workingHours: alwaysOpen });
  await storage.network.insertAccount(account);
  const lead = await make.storedLead(storage, workspaceId);
  return { account, leadId: lead.id };
}
