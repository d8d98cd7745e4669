import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { LeadContent } from "../../src/features/leads/model.ts";
import type { ImportRow } from "../../src/features/leads/import/packed-rows.ts";
import type { InsertLead } from "../../src/features/leads/change-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { suppressedField } from "../../src/features/suppression/refusal.ts";
import type { SuppressionKind } from "../../src/features/suppression/model.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimJob, createFactories, type Factories } from "../support/factories.ts";

const ways: { kind: SuppressionKind; value: string; content: Partial<LeadContent> }[] = [
  { kind: "email", value: "ada@example.com", content: { email: "Ada@Example.com" } },
  { kind: "domain", value: "example.org", content: { email: "ada@mail.example.org" } },
  {
    kind: "profile",
    value: "https://network.example/in/ada",
    content: { networkUrl: "http://www.network.example/in/Ada/?x=1" },
  },
  { kind: "phone", value: "+442079460018", content: { phone: "+44 (0)20 7946 0018" } },
];
const scopes = ["user", "team"] as const;
const cases = ways.flatMap((way) => scopes.map((scope) => ({ ...way, scope })));

describe.each(enginesAndPostgres)("leads of people on the do-not-contact list on $name", ({ open, isSingleWriter }) => {
  describe.each(cases)("by $kind, of the $scope", ({ kind, value, content, scope }) => {
    const list = async (storage: Storage, make: Factories, workspaceId: string) => {
      const owner = scope === "user" ? workspaceId : null;
      const { id } = await make.storedSuppression(storage, owner, kind, value, { reason: "asked us to stop" });
      return { entryId: id, kind, scope, reason: "asked us to stop" };
    };

    test.each<InsertLead["onDuplicate"]>(["create", "update", "error"])(
      "are not stored, on duplicates %s",
      async (onDuplicate) => {
        await using opened = await open();
        const { storage, workspaceId, make } = await withUser(opened.storage);
        const match = await list(storage, make, workspaceId);
        const insert = make.leadInsert(workspaceId, content, onDuplicate);
        expect(await storage.leads.insert(insert)).toEqual({ kind: "doNotContact", match });
        expect(await storage.leads.get(workspaceId, insert.lead.id)).toBeNull();
        expect(await storage.leads.count(workspaceId, {})).toBe(0);
        expect((await storage.leads.insert(make.leadInsert(workspaceId))).kind).toBe("created");
      },
    );

    test("are not merged into others", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const names = { firstName: "Ada", lastName: "Lovelace", company: "Engines", email: null };
      const lead = await make.storedLead(storage, workspaceId, names);
      const match = await list(storage, make, workspaceId);
      const insert = make.leadInsert(workspaceId, { ...names, ...content }, "update");
      expect(await storage.leads.insert(insert)).toEqual({ kind: "doNotContact", match });
      expect(await storage.leads.get(workspaceId, lead.id)).toEqual(lead);
    });

    test("are not made of others by a change", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const lead = await make.storedLead(storage, workspaceId);
      const match = await list(storage, make, workspaceId);
      expect(await storage.leads.update(make.leadUpdate(lead, content))).toEqual({ kind: "doNotContact", match });
      expect(await storage.leads.get(workspaceId, lead.id)).toEqual(lead);
    });

    test("that were there before stay, and can be worked on, but not with a duplicate", async () => {
      await using opened = await open();
      const { storage, workspaceId, make } = await withUser(opened.storage);
      const lead = await make.storedLead(storage, workspaceId, content);
      await list(storage, make, workspaceId);
      const outcome = await storage.leads.update(make.leadUpdate(lead, { status: "unqualified", notes: "stop" }));
      expect(outcome.kind).toBe("changed");
      expect(await storage.leads.get(workspaceId, lead.id)).toMatchObject({
        ...content,
        status: "unqualified",
        version: 2,
      });
      expect((await storage.leads.insert(make.leadInsert(workspaceId, content, "error"))).kind).toBe("doNotContact");
    });

    test.each([false, true])("are skipped by an import, and told of; dry run: %p", async (dryRun) => {
      await using opened = await open();
      const { storage, workspaceId, job, make } = await withImport(opened.storage);
      const match = await list(storage, make, workspaceId);
      const rows = [make.importRow(2, content), make.importRow(3), make.importRow(4, content)];
      const counts = await storage.leads.importBatch(
        await make.importBatch(storage, job, rows, { dryRun, onDuplicate: "create" }),
      );
      expect(counts).toEqual({ rows: 3, created: 1, updated: 0, skipped: 2, failed: 0, doNotContact: 2 });
      expect(await storage.leads.count(workspaceId, {})).toBe(dryRun ? 0 : 1);
      const report = await storage.leads.importReport({
        workspaceId,
        jobId: job.id,
        outcome: null,
        afterRow: 0,
        limit: 10,
      });
      expect(report.map(({ row, outcome, leadId }) => [row, outcome, leadId])).toEqual([
        [2, "skipped", null],
        [4, "skipped", null],
      ]);
      expect(report[0]?.errors).toEqual([
        {
          path: suppressedField[kind],
          message: expect.stringContaining(match.entryId),
          code: "DO_NOT_CONTACT",
        },
      ]);
      expect((await storage.jobs.get(workspaceId, job.id))?.metadata).toMatchObject({ skipped: 2, doNotContact: 2 });
    });
  });

  test("the count of stopped rows goes on from batch to batch", async () => {
    await using opened = await open();
    const { storage, workspaceId, job, make } = await withImport(opened.storage);
    await make.storedSuppression(storage, workspaceId, "email", "ada@example.com");
    const rows: ImportRow[] = [2, 3].map((row) => make.importRow(row, { email: "ada@example.com" }));
    for (const row of rows) await storage.leads.importBatch(await make.importBatch(storage, job, [row]));
    const counts = await storage.leads.importBatch(await make.importBatch(storage, job, [make.importRow(4)]));
    expect(counts).toMatchObject({ rows: 3, created: 1, skipped: 2, doNotContact: 2 });
  });

  test("an entry of somebody else holds nobody back, and one that is removed nobody any more", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const other = (await make.storedUser(storage)).user.id;
    await make.storedSuppression(storage, other, "email", "ada@example.com");
    const own = await make.storedSuppression(storage, workspaceId, "email", "bob@example.com");
    const kindOf = async (email: string) => (await storage.leads.insert(make.leadInsert(workspaceId, { email }))).kind;
    expect(await kindOf("ada@example.com")).toBe("created");
    expect(await kindOf("bob@example.com")).toBe("doNotContact");
    await storage.suppressions.remove(workspaceId, own.id);
    expect(await kindOf("bob@example.com")).toBe("created");
  });

  test("an entry and a lead that come at the same time: whichever is first, the list is obeyed from then on", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const insert = () => storage.leads.insert(make.leadInsert(workspaceId, { email: "ada@example.com" }));
    const [before, , after] = await Promise.all([
      insert(),
      storage.suppressions.add([make.suppression(workspaceId, "email", "ada@example.com")]),
      insert(),
    ]);
    if (isSingleWriter) expect([before.kind, after.kind]).toEqual(["created", "doNotContact"]);
    expect((await insert()).kind).toBe("doNotContact");
  });

  test("a removal stores its entries in the same operation, or neither happens", async () => {
    await using opened = await open();
    const { storage, workspaceId, make } = await withUser(opened.storage);
    const lead = await make.storedLead(storage, workspaceId, { email: "ada@example.com" });
    const clear = await make.storedSuppression(storage, workspaceId, "phone", "+442079460018");
    const entries = [
      make.suppression(workspaceId, "email", "ada@example.com", { value: null, source: "erasure" }),
      make.suppression(workspaceId, "phone", "+442079460018", { value: null, source: "erasure" }),
    ];
    expect(
      await storage.leads.remove({ workspaceId, id: lead.id, version: 7, suppress: entries, at: startOfTests }),
    ).toEqual({ kind: "stale" });
    expect(
      await storage.leads.remove({ workspaceId, id: "nothing", version: null, suppress: entries, at: startOfTests }),
    ).toEqual({ kind: "absent" });
    expect(await storage.suppressions.count(workspaceId, {})).toBe(1);
    expect(
      await storage.leads.remove({ workspaceId, id: lead.id, version: 1, suppress: entries, at: startOfTests }),
    ).toEqual({ kind: "changed", lead });
    const reopened = await opened.reopen();
    expect(await reopened.leads.get(workspaceId, lead.id)).toBeNull();
    expect(await reopened.suppressions.get(workspaceId, entries[0]!.id)).toEqual(entries[0]!);
    expect(await reopened.suppressions.get(workspaceId, clear.id)).toEqual({ ...clear, value: null });
    const again = make.leadInsert(workspaceId, { email: "ada@example.com" });
    expect((await reopened.leads.insert(again)).kind).toBe("doNotContact");
  });
});

async function withUser(storage: Storage) {
  const make = createFactories();
  return { storage, make, workspaceId: (await make.storedUser(storage)).user.id };
}

async function withImport(
  opened: Storage,
): Promise<{ storage: Storage; workspaceId: string; job: Job; make: Factories }> {
  const { storage, make, workspaceId } = await withUser(opened);
  await make.storedJob(storage, workspaceId);
  return { storage, make, workspaceId, job: await claimJob(storage) };
}
