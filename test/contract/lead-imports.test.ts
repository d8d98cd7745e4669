import { describe, expect, test } from "bun:test";
import type { Job } from "../../src/platform/jobs/model.ts";
import type { Lead, LeadContent, LeadFilter } from "../../src/features/leads/model.ts";
import type { ImportRow } from "../../src/features/leads/import/packed-rows.ts";
import type { ImportBatch, ImportReportRow } from "../../src/features/leads/change-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { claimJob, claimOf, createFactories, type Factories } from "../support/factories.ts";
import { createDice } from "../support/ids.ts";

const minute = 60_000;
const oldestFirst = { field: "createdAt", descending: false } as const;

describe.each(enginesAndPostgres)("imports of leads on $name", ({ open, isSingleWriter }) => {
  test("a batch stores its rows as leads and answers how many", async () => {
    await using opened = await open();
    const { storage, job, make } = await withImport(opened.storage);
    const row = {
      row: 2,
      id: make.ids.next(startOfTests),
      ...contentAndIdentity(make, { tags: ["x"], customFields: { a: 1 }, status: "qualified" }),
    };
    const counts = await storage.leads.importBatch(
      await make.importBatch(storage, job, [row], { at: startOfTests + 5 }),
    );
    expect(counts).toEqual({ rows: 1, created: 1, updated: 0, skipped: 0, failed: 0 });
    const lead: Lead = {
      ...row.content,
      id: row.id,
      workspaceId: job.workspaceId,
      version: 1,
      createdAt: startOfTests + 5,
      updatedAt: startOfTests + 5,
    };
    expect(await storage.leads.get(job.workspaceId, row.id)).toEqual(lead);
    expect(await storage.leads.count(job.workspaceId, { tag: "x" })).toBe(1);
  });

  test("every field of every new row is stored, whatever stands between the rows", async () => {
    await using opened = await open();
    const { storage, job, make } = await withImport(opened.storage);
    const known = await make.storedLead(storage, job.workspaceId, { email: "known@example.com" });
    const bad: ImportRow = { row: 4, errors: [{ path: "email", message: "Bad." }] };
    const full = make.importRow(2, {
      ...{ firstName: "Zoë", lastName: 'O"Neill \\', email: "Zoe@Example.com", company: "株式会社", title: "VP, 🦊" },
      ...{ phone: "+49 30 1", networkUrl: "https://network.example/in/zoe", industry: "'x'", location: "Köln" },
      ...{ source: "[1]", notes: "one\ntwo", tags: ["A", "ä;b"], customFields: { 'k"': [1.5, { deep: null }] } },
    });
    const rows = [
      full,
      make.importRow(3, { status: "qualified", tags: ["a"] }),
      bad,
      make.importRow(5, { tags: ["A", "a"] }),
      make.importRow(6, { email: known.email }),
      make.importRow(7, { email: "zoe@example.com" }),
      make.importRow(8),
    ];
    expect(await storage.leads.importBatch(await make.importBatch(storage, job, rows))).toMatchObject({
      ...{ created: 4, skipped: 2, failed: 1 },
    });
    const created = rows.filter((row) => "content" in row && [2, 3, 5, 8].includes(row.row));
    for (const row of created)
      if ("content" in row) expect(await storage.leads.get(job.workspaceId, row.id)).toMatchObject(row.content);
    const page = { workspaceId: job.workspaceId, filter: {}, sort: oldestFirst, limit: 10, offset: 0, after: null };
    const { leads } = await storage.leads.page(page);
    expect(leads.map(({ id }) => id)).toEqual([known.id, ...created.map((row) => ("id" in row ? row.id : ""))]);
    const count = (filter: LeadFilter) => storage.leads.count(job.workspaceId, filter);
    expect([await count({}), await count({ statuses: ["qualified"] }), await count({ tag: "a" })]).toEqual([5, 1, 3]);
    expect([
      await count({ tag: "Ä;B" }),
      await count({ company: "株式会社" }),
      await count({ text: 'o"neill' }),
    ]).toEqual([...[1, 1, 1]]);
  });

  test("a full batch of updates stores every field of each lead, and reports each row", async () => {
    await using opened = await open();
    const { storage, job, make } = await withImport(opened.storage);
    const n = storage.leads.knownRowsAtOnce.update;
    const emails = Array.from({ length: n }, (_none, index) => `person-${index}@example.com`);
    const first = emails.map((email, index) => make.importRow(index + 2, { email, tags: ["old"] }));
    await storage.leads.importBatch(await make.importBatch(storage, job, first));
    const content = (index: number) => ({
      ...{
        firstName: `F${index}`,
        lastName: `L${index}`,
        company: `C${index}`,
        title: `T${index}`,
        phone: `+49 30 ${index}`,
      },
      ...{ networkUrl: `https://network.example/in/p${index}`, industry: `I${index}`, location: `O${index}` },
      ...{ source: `S${index}`, notes: `N${index}`, tags: ["new"], customFields: { at: index } },
    });
    const second = emails.map((email, index) => make.importRow(n + index + 2, { email, ...content(index) }));
    const at = startOfTests + minute;
    expect(
      await storage.leads.importBatch(await make.importBatch(storage, job, second, { onDuplicate: "update", at })),
    ).toMatchObject({ created: n, updated: n });
    for (const [index, row] of first.entries()) {
      const lead = await storage.leads.get(job.workspaceId, "id" in row ? row.id : "");
      expect(lead).toMatchObject({ ...content(index), tags: ["old", "new"], email: emails[index]!, version: 2 });
      expect(lead).toMatchObject({ createdAt: startOfTests, updatedAt: at });
    }
    const { workspaceId, id: jobId } = job;
    const report = await storage.leads.importReport({
      workspaceId,
      jobId,
      outcome: "updated",
      afterRow: 0,
      limit: n + 1,
    });
    expect(report.map(({ row }) => row)).toEqual(emails.map((_email, index) => n + index + 2));
  });

  test("a new row is merged with one further down", async () => {
    await using opened = await open();
    const { storage, job, make } = await withImport(opened.storage);
    const rows = [
      make.importRow(2, { email: "ada@example.com", tags: ["a"] }),
      make.importRow(3, { email: "ada@example.com", tags: ["B"], title: "CTO" }),
      make.importRow(4),
    ];
    const batch = await make.importBatch(storage, job, rows, { onDuplicate: "update" });
    expect(await storage.leads.importBatch(batch)).toMatchObject({ created: 2, updated: 1 });
    const id = "id" in rows[0]! ? rows[0].id : "";
    expect(await storage.leads.get(job.workspaceId, id)).toMatchObject({ title: "CTO", tags: ["a", "B"], version: 2 });
    for (const tag of ["a", "b"]) expect(await storage.leads.count(job.workspaceId, { tag })).toBe(1);
  });

  test("rows are packed for a user that is there", async () => {
    await using opened = await open();
    const { storage, job } = await withImport(opened.storage);
    expect(await storage.leads.ownerNumber(job.workspaceId)).toBeNumber();
    expect(await storage.leads.ownerNumber("nobody")).toBeNull();
  });

  test("counts go on from batch to batch, and the job tells of them, of the last row, the progress and the lease", async () => {
    await using opened = await open();
    const { storage, job, make } = await withImport(opened.storage, { metadata: { bytes: 9 } });
    const failed: ImportRow = { row: 4, errors: [{ path: "email", message: "Bad." }] };
    await storage.leads.importBatch(await make.importBatch(storage, job, [make.importRow(2), make.importRow(3)]));
    const counts = await storage.leads.importBatch(
      await make.importBatch(storage, job, [failed, make.importRow(5)], {
        progress: 70.5,
        leaseUntil: startOfTests + 9 * minute,
        at: startOfTests + 7,
      }),
    );
    expect(counts).toEqual({ rows: 4, created: 3, updated: 0, skipped: 0, failed: 1 });
    expect(await storage.jobs.get(job.workspaceId, job.id)).toMatchObject({
      status: "running",
      attempt: 1,
      progress: 70.5,
      leaseUntil: startOfTests + 9 * minute,
      updatedAt: startOfTests + 7,
      metadata: { bytes: 9, rows: 4, created: 3, updated: 0, skipped: 0, failed: 1, lastRow: 5 },
    });
  });

  test("an empty batch moves the job on", async () => {
    await using opened = await open();
    const { storage, job, make } = await withImport(opened.storage);
    expect(await storage.leads.importBatch(await make.importBatch(storage, job, [], { lastRow: 40 }))).toMatchObject({
      rows: 0,
    });
    expect((await storage.jobs.get(job.workspaceId, job.id))?.metadata).toMatchObject({ lastRow: 40 });
  });

  describe("a row whose person is a lead already", () => {
    test("is skipped, and the report names the lead", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const lead = await make.storedLead(storage, job.workspaceId, { email: "ada@example.com" });
      const rows = [make.importRow(2, { email: "ADA@example.com", title: "X" }), make.importRow(3)];
      expect(await storage.leads.importBatch(await make.importBatch(storage, job, rows))).toMatchObject({
        created: 1,
        skipped: 1,
      });
      expect(await storage.leads.get(job.workspaceId, lead.id)).toEqual(lead);
      expect(await reportOf(storage, job)).toEqual([{ row: 2, outcome: "skipped", leadId: lead.id, errors: [] }]);
    });

    test("is merged in on update, and the report names the lead", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const lead = await make.storedLead(storage, job.workspaceId, {
        email: "ada@example.com",
        phone: "1",
        tags: ["a"],
      });
      const rows = [make.importRow(2, { email: "ada@example.com", title: "X", tags: ["b"] })];
      const batch = await make.importBatch(storage, job, rows, { onDuplicate: "update", at: startOfTests + 8 });
      expect(await storage.leads.importBatch(batch)).toMatchObject({ created: 0, updated: 1 });
      const merged = {
        title: "X",
        phone: "1",
        tags: ["a", "b"],
        version: 2,
        updatedAt: startOfTests + 8,
        createdAt: startOfTests,
      };
      expect(await storage.leads.get(job.workspaceId, lead.id)).toMatchObject(merged);
      expect(await reportOf(storage, job)).toEqual([{ row: 2, outcome: "updated", leadId: lead.id, errors: [] }]);
    });

    test("is stored again on create", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      await make.storedLead(storage, job.workspaceId, { email: "ada@example.com" });
      const rows = [2, 3].map((row) => make.importRow(row, { email: "ada@example.com" }));
      expect(
        await storage.leads.importBatch(await make.importBatch(storage, job, rows, { onDuplicate: "create" })),
      ).toMatchObject({
        created: 2,
      });
      expect(await storage.leads.count(job.workspaceId, { email: "ada@example.com" })).toBe(3);
      expect(await reportOf(storage, job)).toEqual([]);
    });

    test("is new when the lead is somebody else's", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const other = (await make.storedUser(storage)).user.id;
      const lead = await make.storedLead(storage, other, { email: "ada@example.com" });
      const rows = [make.importRow(2, { email: "ada@example.com" })];
      expect(
        await storage.leads.importBatch(await make.importBatch(storage, job, rows, { onDuplicate: "update" })),
      ).toMatchObject({
        created: 1,
      });
      expect(await storage.leads.get(other, lead.id)).toEqual(lead);
    });

    test("is found also when it stands further up in the same batch or in a batch before", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const same = { email: "ada@example.com" };
      const first = make.importRow(2, same);
      expect(
        await storage.leads.importBatch(await make.importBatch(storage, job, [first, make.importRow(3, same)])),
      ).toMatchObject({
        created: 1,
        skipped: 1,
      });
      expect(
        await storage.leads.importBatch(await make.importBatch(storage, job, [make.importRow(4, same)])),
      ).toMatchObject({
        created: 1,
        skipped: 2,
      });
      const leadId = "id" in first ? first.id : "";
      expect((await reportOf(storage, job)).map((line) => line.leadId)).toEqual([leadId, leadId]);
    });
  });

  describe("the report", () => {
    const bad = (row: number): ImportRow => ({ row, errors: [{ path: "email", message: `Bad ${row}.`, index: row }] });

    test("gives lines by row, behind a row, at most as many as asked for, of one outcome or of all", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      await make.storedLead(storage, job.workspaceId, { email: "ada@example.com" });
      const known = (row: number) => make.importRow(row, { email: "ada@example.com" });
      await storage.leads.importBatch(
        await make.importBatch(storage, job, [bad(12), known(11), make.importRow(10), bad(9)]),
      );
      await storage.leads.importBatch(await make.importBatch(storage, job, [known(2), bad(100)]));
      const rowsOf = async (request: Partial<Parameters<Storage["leads"]["importReport"]>[0]>) =>
        (await reportOf(storage, job, request)).map(({ row }) => row);
      expect(await rowsOf({})).toEqual([2, 9, 11, 12, 100]);
      expect(await rowsOf({ afterRow: 9, limit: 2 })).toEqual([11, 12]);
      expect(await rowsOf({ afterRow: 100 })).toEqual([]);
      expect(await rowsOf({ outcome: "failed" })).toEqual([9, 12, 100]);
      expect(await rowsOf({ outcome: "skipped", afterRow: 2 })).toEqual([11]);
      expect(await rowsOf({ outcome: "updated" })).toEqual([]);
      expect((await reportOf(storage, job, { limit: 2 }))[1]).toEqual({
        row: 9,
        outcome: "failed",
        leadId: null,
        errors: [{ path: "email", message: "Bad 9.", index: 9 }],
      });
    });

    test("of somebody else's import, or of none, is empty", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      await storage.leads.importBatch(await make.importBatch(storage, job, [bad(2)]));
      const stranger = (await make.storedUser(storage)).user.id;
      expect(await reportOf(storage, job, { workspaceId: stranger })).toEqual([]);
      expect(await reportOf(storage, job, { jobId: "nothing" })).toEqual([]);
    });
  });

  describe("the claim", () => {
    test.each<[string, (storage: Storage, job: Job) => Promise<unknown>]>([
      ["was taken over after its lease", (storage) => claimJob(storage, startOfTests + 2 * minute)],
      [
        "ended with the job",
        (storage, job) =>
          storage.jobs.end(claimOf(job), { kind: "completed", message: "", metadata: {}, at: startOfTests }),
      ],
      ["ended with a cancellation", (storage, job) => storage.jobs.cancel(job.workspaceId, job.id, startOfTests)],
    ])("that %s stores nothing", async (_what, lose) => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const lead = await make.storedLead(storage, job.workspaceId, { email: "ada@example.com" });
      await lose(storage, job);
      const before = await storage.jobs.get(job.workspaceId, job.id);
      const rows = [
        make.importRow(2),
        make.importRow(3, { email: "ada@example.com", title: "X" }),
        { row: 4, errors: [] },
      ];
      expect(
        await storage.leads.importBatch(await make.importBatch(storage, job, rows, { onDuplicate: "update" })),
      ).toBeNull();
      expect(await storage.leads.count(job.workspaceId, {})).toBe(1);
      expect(await storage.leads.get(job.workspaceId, lead.id)).toEqual(lead);
      expect(await reportOf(storage, job)).toEqual([]);
      expect(await storage.jobs.get(job.workspaceId, job.id)).toEqual(before);
    });

    test("on a job that was never claimed, or that does not exist, is none", async () => {
      await using opened = await open();
      const make = createFactories();
      const { user } = await make.storedUser(opened.storage);
      const pending = await make.storedJob(opened.storage, user.id);
      for (const job of [pending, make.job(user.id)])
        expect(
          await opened.storage.leads.importBatch(await make.importBatch(opened.storage, job, [make.importRow(2)])),
        ).toBeNull();
      expect(await opened.storage.leads.count(user.id, {})).toBe(0);
    });

    test("on one user's job stores nothing for another user", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const stranger = (await make.storedUser(storage)).user.id;
      expect(
        await storage.leads.importBatch(
          await make.importBatch(storage, job, [make.importRow(2)], { workspaceId: stranger }),
        ),
      ).toBeNull();
      expect(await storage.leads.count(stranger, {})).toBe(0);
    });
  });

  test("a batch in which one row can't be stored stores none of its rows, and the job stays where it was", async () => {
    await using opened = await open();
    const { storage, job, make } = await withImport(opened.storage);
    await storage.leads.importBatch(await make.importBatch(storage, job, [make.importRow(2)]));
    const before = await storage.jobs.get(job.workspaceId, job.id);
    const [good, bad] = [make.importRow(3), make.importRow(4)];
    const taken = await make.storedLead(storage, job.workspaceId);
    const batch = await make.importBatch(storage, job, [good, { row: 5, errors: [] }, { ...bad, id: taken.id }]);
    await expect(storage.leads.importBatch(batch)).rejects.toThrow();
    expect(await storage.leads.count(job.workspaceId, {})).toBe(2);
    expect(await reportOf(storage, job)).toEqual([]);
    expect(await storage.jobs.get(job.workspaceId, job.id)).toEqual(before);
  });

  test("an import that was killed goes on behind its last stored batch, and ends as if nothing had happened", async () => {
    await using opened = await open();
    const { job, make } = await withImport(opened.storage);
    const file = Array.from({ length: 30 }, (_, index) =>
      index % 7 === 3
        ? { row: index + 2, errors: [{ path: "", message: "Bad." }] }
        : make.importRow(index + 2, { email: `p${index % 11}@example.com` }),
    );
    for (const rows of [file.slice(0, 8), file.slice(8, 16)])
      await opened.storage.leads.importBatch(await make.importBatch(opened.storage, job, rows));
    const reportBefore = await reportOf(opened.storage, job);
    const storage = await opened.reopen();
    const again = await claimJob(storage, restartOf(isSingleWriter));
    expect(again).toMatchObject({ id: job.id, attempt: 2, metadata: { rows: 16, lastRow: 17 } });
    expect(await reportOf(storage, job)).toEqual(reportBefore);
    expect(await storage.leads.importBatch(await make.importBatch(storage, job, file.slice(16)))).toBeNull();
    const rest = file.filter(({ row }) => row > Number(again.metadata["lastRow"]));
    const counts = await storage.leads.importBatch(await make.importBatch(storage, again, rest));
    expect(counts).toEqual({ rows: 30, created: 11, updated: 0, skipped: 15, failed: 4 });
    expect(await storage.leads.count(job.workspaceId, {})).toBe(11);
    expect(await reportOf(storage, job)).toHaveLength(19);
  });

  describe("a dry run", () => {
    test("reports as the import would and leaves the leads as they are", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const lead = await make.storedLead(storage, job.workspaceId, { email: "ada@example.com" });
      const rows = [
        make.importRow(2, { email: "ada@example.com", title: "X" }),
        make.importRow(3),
        { row: 4, errors: [{ path: "", message: "Bad." }] },
      ];
      const counts = await storage.leads.importBatch(
        await make.importBatch(storage, job, rows, { dryRun: true, onDuplicate: "update" }),
      );
      expect(counts).toEqual({ rows: 3, created: 1, updated: 1, skipped: 0, failed: 1 });
      expect(await reportOf(storage, job)).toEqual([
        { row: 2, outcome: "updated", leadId: lead.id, errors: [] },
        { row: 4, outcome: "failed", leadId: null, errors: [{ path: "", message: "Bad." }] },
      ]);
      const all = await storage.leads.page({
        workspaceId: job.workspaceId,
        filter: {},
        sort: oldestFirst,
        limit: 10,
        offset: 0,
        after: null,
      });
      expect(all.leads).toEqual([lead]);
    });

    test.each(["skip", "update", "create"] as const)(
      "foretells an import of persons with one identifier each (%s)",
      async (onDuplicate) => {
        await using opened = await open();
        const dice = createDice(11);
        const person = (): Partial<LeadContent> => {
          const number = dice.below(12);
          const none = { email: null, networkUrl: null, firstName: null, lastName: null, company: null };
          if (number < 5) return { ...none, email: `p${number}@example.com` };
          if (number < 9) return { ...none, networkUrl: `https://network.example/in/p${number}` };
          return { ...none, firstName: "Ada", lastName: `L${number}`, company: "Engines" };
        };
        await expectForetold(opened.storage, onDuplicate, () => person());
      },
    );

    test.each(["skip", "update", "create"] as const)(
      "foretells an import of persons with several identifiers (%s)",
      async (onDuplicate) => {
        await using opened = await open();
        const dice = createDice(12);
        await expectForetold(opened.storage, onDuplicate, () => {
          const number = dice.below(6);
          const isNamed = dice.chance(0.7);
          return {
            email: dice.chance(0.5) || !isNamed ? `p${number}@example.com` : null,
            networkUrl: dice.chance(0.5)
              ? `https://network.example/in/p${dice.chance(0.9) ? number : dice.below(6)}`
              : null,
            firstName: isNamed ? "Ada" : null,
            lastName: isNamed ? `L${number}` : null,
            company: isNamed ? "Engines" : null,
          };
        });
      },
    );

    test("goes on after the process was killed with what it had met before", async () => {
      await using opened = await open();
      const { job, make } = await withImport(opened.storage);
      const same = { email: "ada@example.com" };
      await opened.storage.leads.importBatch(
        await make.importBatch(opened.storage, job, [make.importRow(2, same)], { dryRun: true }),
      );
      const storage = await opened.reopen();
      const again = await claimJob(storage, restartOf(isSingleWriter));
      const counts = await storage.leads.importBatch(
        await make.importBatch(storage, again, [make.importRow(3, same)], { dryRun: true }),
      );
      expect(counts).toMatchObject({ rows: 2, created: 1, skipped: 1 });
    });

    test("is forgotten in slices, without touching what another run has met", async () => {
      await using opened = await open();
      const { storage, job, make } = await withImport(opened.storage);
      const other = await make.storedJob(storage, job.workspaceId);
      const otherRun = await claimJob(storage);
      expect(otherRun.id).toBe(other.id);
      const rows = (from: number) =>
        Array.from({ length: 5 }, (_, n) => make.importRow(from + n, { email: `p${n}@example.com` }));
      for (const run of [job, otherRun])
        await storage.leads.importBatch(await make.importBatch(storage, run, rows(2), { dryRun: true }));
      const slices: number[] = [];
      do slices.push(await storage.leads.forgetDryRun(job.id, 3));
      while (slices.at(-1) === 3);
      expect(slices.length).toBeGreaterThan(1);
      expect(Math.max(...slices)).toBe(3);
      expect(await storage.leads.forgetDryRun(job.id, 3)).toBe(0);
      expect(
        await storage.leads.importBatch(await make.importBatch(storage, job, rows(7), { dryRun: true })),
      ).toMatchObject({
        created: 10,
        skipped: 0,
      });
      expect(
        await storage.leads.importBatch(await make.importBatch(storage, otherRun, rows(7), { dryRun: true })),
      ).toMatchObject({
        created: 5,
        skipped: 5,
      });
    });
  });
});

/** When a job of a process that died can be claimed: with several processes, only after its lease. */
function restartOf(isSingleWriter: boolean): number {
  return isSingleWriter ? startOfTests + 1 : startOfTests + 60_001;
}

/** A user with an import job that is running. */
async function withImport(storage: Storage, overrides: Partial<Job> = {}) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  await make.storedJob(storage, user.id, overrides);
  return { storage, make, job: await claimJob(storage) };
}

function contentAndIdentity(make: Factories, overrides: Partial<LeadContent>) {
  const row = make.importRow(0, overrides);
  if ("errors" in row) throw new Error("Expected a lead");
  return { content: row.content, identity: row.identity };
}

async function reportOf(
  storage: Storage,
  { id: jobId, workspaceId }: Job,
  request: Partial<Parameters<Storage["leads"]["importReport"]>[0]> = {},
): Promise<ImportReportRow[]> {
  return await storage.leads.importReport({ workspaceId, jobId, outcome: null, afterRow: 0, limit: 1000, ...request });
}

/** Runs a file of random rows dry, then in earnest, over the same leads, and shows the rows of which another end was foretold. */
async function expectForetold(
  storage: Storage,
  onDuplicate: ImportBatch["onDuplicate"],
  person: () => Partial<LeadContent>,
): Promise<void> {
  const { make, job: dry } = await withImport(storage);
  await make.storedJob(storage, dry.workspaceId);
  const real = await claimJob(storage);
  for (let n = 0; n < 4; n++) await make.storedLead(storage, dry.workspaceId, person());
  const file = Array.from({ length: 40 }, (_, index) => make.importRow(index + 2, person()));
  const run = async (job: Job, dryRun: boolean) => {
    for (let at = 0; at < file.length; at += 10)
      await storage.leads.importBatch(
        await make.importBatch(storage, job, file.slice(at, at + 10), { dryRun, onDuplicate }),
      );
    const report = new Map((await reportOf(storage, job)).map(({ row, outcome }) => [row, outcome]));
    return file.map(({ row }) => report.get(row) ?? "created");
  };
  const foretold = await run(dry, true);
  const happened = await run(real, false);
  const wrong = file.filter((_, index) => foretold[index] !== happened[index]);
  expect(wrong.map((row) => ({ row: row.row, ...("identity" in row && row.identity) }))).toEqual([]);
}
