import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { startService, succeeded } from "../support/service.ts";
import { type ReportRow, type Report, importFile, reportOf, people } from "../support/lead-import-api.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

test("broken rows fail alone, each with its line and what is wrong", async () => {
  const user = await service.user();
  const file = [
    "email,first name,status",
    "ada@example.com,Ada,new",
    "nonsense,Bob,new",
    "",
    "carl@example.com,Carl,shiny",
    "dora@example.com,Dora,new,one,too many",
    "eve@example.com,Eve,contacted",
  ].join("\n");
  const job = await importFile(service, user, file);
  expect(job).toMatchObject({ status: "completed", metadata: { rows: 5, created: 2, failed: 3 } });
  const { rows } = await reportOf(user, job);
  expect(rows.map(({ row, outcome, leadId }) => ({ row, outcome, leadId }))).toEqual(
    [3, 5, 6].map((row) => ({ row, outcome: "failed", leadId: null })),
  );
  expect(rows.map(({ errors }) => errors[0]?.path)).toEqual(["email", "status", ""]);
  for (const { errors } of rows) expect(errors[0]?.message.length).toBeGreaterThan(20);
});

test("the report lists the leads that an import has created, by row, in pages, as long as they are there", async () => {
  const user = await service.user();
  await user.post("/api/v2/leads", { email: "known@example.com" });
  const rows = ["email,notes,first_name"];
  const rowOf = new Map<string, number>();
  for (let n = 0; n < 900; n++) {
    // A blank line has a number, too, so that the rows of the file do not all follow each other.
    if (n % 50 === 20) rows.push("");
    rowOf.set(`P${n}`, rows.length + 1);
    rows.push(n % 7 === 3 ? `known@example.com,x,K` : `p${n}@example.com,"one, two",P${n}`);
  }
  rows.push("nonsense,,X");
  const job = await importFile(service, user, rows.join("\n"));
  expect(job.metadata).toMatchObject({ created: 771, failed: 1 });
  const created: ReportRow[] = [];
  for (let afterRow: number | null = 0; afterRow !== null;) {
    const page: Report = await reportOf(user, job, { outcome: "created", afterRow, limit: 100 });
    expect(page.total).toBe(771);
    created.push(...page.rows);
    afterRow = page.nextRow;
  }
  expect(created).toHaveLength(771);
  expect(created.map(({ row }) => row)).toEqual([...created.map(({ row }) => row)].sort((a, b) => a - b));
  const { rows: others } = await reportOf(user, job, { limit: 1000 });
  expect(others.every(({ outcome }) => outcome !== "created")).toBe(true);
  // Every row of the file is in one of both, once.
  expect(new Set([...created, ...others].map(({ row }) => row)).size).toBe(901);
  for (const { row, leadId } of [created[0]!, created[5]!, created[400]!, created.at(-1)!]) {
    const { data: lead } = await user.get<LeadView>(`/api/v2/leads/${leadId}`);
    expect(rowOf.get(lead.firstName!)).toBe(row);
  }
  // The newest are deleted, and others get their numbers: those are not of this import.
  for (const { leadId } of created.slice(-2)) succeeded(await user.send("DELETE", `/api/v2/leads/${leadId}`));
  await user.post("/api/v2/leads", { email: "later@example.com" });
  const left = await reportOf(user, job, { outcome: "created", afterRow: created.at(-4)!.row });
  expect(left.rows.map(({ leadId }) => leadId)).toEqual([created.at(-3)!.leadId]);
  expect(
    (await reportOf(user, await importFile(service, user, people, { dryRun: true }), { outcome: "created" })).rows,
  ).toEqual([]);
  const stranger = await service.user();
  expect((await stranger.get(`/api/v2/leads/import/${job.id}/report`, { query: { outcome: "created" } })).status).toBe(
    404,
  );
});

test("a report comes in pages, and can be narrowed to one outcome", async () => {
  const user = await service.user();
  const rows = Array.from({ length: 250 }, (_, index) => (index % 2 === 0 ? `x${index}@example.com` : "broken"));
  await importFile(service, user, `email\n${rows.join("\n")}\n`);
  const job = await importFile(service, user, `email\n${rows.join("\n")}\n`);
  expect((await reportOf(user, job)).rows).toHaveLength(100);
  const found: number[] = [];
  for (let afterRow: number | null = 0; afterRow !== null;) {
    const page: Report = await reportOf(user, job, { limit: 60, afterRow });
    found.push(...page.rows.map(({ row }) => row));
    afterRow = page.nextRow;
  }
  expect(found).toEqual(Array.from({ length: 250 }, (_, index) => index + 2));
  const failed = await reportOf(user, job, { outcome: "failed", limit: 1000 });
  expect(failed.rows).toHaveLength(125);
  expect(failed.rows.every(({ outcome }) => outcome === "failed")).toBe(true);
  for (const query of [{ limit: 0 }, { limit: 1001 }, { afterRow: -1 }, { outcome: "nothing" }])
    expect((await user.get(`/api/v2/leads/import/${job.id}/report`, { query })).status).toBe(400);
});

test("the report of somebody else's import looks absent", async () => {
  const job = await importFile(service, await service.user(), people);
  const stranger = await service.user();
  for (const id of [job.id, "nothing"])
    expect(await stranger.get(`/api/v2/leads/import/${id}/report`)).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      details: { resource: "job", id },
    });
});
