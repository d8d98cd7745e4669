import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { startService, succeeded } from "../support/service.ts";
import { send, importFile, leadsOf, reportOf, people } from "../support/lead-import-api.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

test("duplicates are skipped unless said otherwise, and the report names the lead that was there", async () => {
  const user = await service.user();
  const there = succeeded(
    await user.post<LeadView>("/api/v2/leads", { email: "ADA@example.com", title: "Countess" }),
  ).data;
  const job = await importFile(service, user, people);
  expect(job.metadata).toMatchObject({ created: 1, skipped: 1 });
  expect((await reportOf(user, job)).rows).toEqual([{ row: 2, outcome: "skipped", leadId: there.id, errors: [] }]);
  expect((await user.get<LeadView>(`/api/v2/leads/${there.id}`)).data).toEqual(there);
});

test("with onDuplicate=update a row is merged into the lead that is there", async () => {
  const user = await service.user();
  const there = succeeded(
    await user.post<LeadView>("/api/v2/leads", { email: "ada@example.com", title: "Countess", tags: ["old"] }),
  ).data;
  const job = await importFile(service, user, people, { onDuplicate: "update", tags: ["new"] });
  expect(job.metadata).toMatchObject({ created: 1, updated: 1 });
  expect((await reportOf(user, job)).rows).toEqual([{ row: 2, outcome: "updated", leadId: there.id, errors: [] }]);
  expect((await user.get<LeadView>(`/api/v2/leads/${there.id}`)).data).toMatchObject({
    firstName: "Ada",
    title: "Countess",
    tags: ["old", "new"],
  });
});

test("with onDuplicate=create every row becomes a lead", async () => {
  const user = await service.user();
  await importFile(service, user, people);
  expect((await importFile(service, user, people, { onDuplicate: "create" })).metadata).toMatchObject({
    created: 2,
    skipped: 0,
  });
  expect(await leadsOf(user)).toHaveLength(4);
});

test("tags and source of the request are given to every row, and a row's own source wins", async () => {
  const user = await service.user();
  const file = "email,source,tags\nada@example.com,fair,a;b\ngrace@example.com,,\n";
  await importFile(service, user, file, { tags: ["x", "y, z"], source: "list" });
  expect(await leadsOf(user)).toMatchObject([
    { source: "fair", tags: ["a", "b", "x", "y, z"] },
    { source: "list", tags: ["x", "y, z"] },
  ]);
});

test("columns that are named in the request go before what their headers say", async () => {
  const user = await service.user();
  const columns = JSON.stringify({ Kontakt: "email", Notes: "customFields.remark", Secret: "ignore", Wer: "fullName" });
  await importFile(service, user, "Kontakt;Notes;Secret;Wer\nada@example.com;hello;x;Ada Lovelace\n", { columns });
  expect(await leadsOf(user)).toMatchObject([
    {
      email: "ada@example.com",
      firstName: "Ada",
      lastName: "Lovelace",
      notes: null,
      customFields: { remark: "hello" },
    },
  ]);
  expect((await leadsOf(user))[0]?.customFields).toEqual({ remark: "hello" });
});

test.each([
  ["columns", "not JSON"],
  ["columns", "[1]"],
  ["columns", '{"a":1}'],
  ["columns", "null"],
  ["onDuplicate", "error"],
  ["dryRun", "maybe"],
  ["delimiter", ";;"],
  ["source", "x".repeat(201)],
  ["tags", "x".repeat(101)],
])("an import with a wrong %s is refused before the file is read: %s", async (name, value) => {
  const user = await service.user();
  expect(await send(user, people, { [name]: value })).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect((await user.get("/api/v2/users/jobs")).data).toMatchObject({ jobs: [] });
});

test("an unknown target or header of a column fails the import with what there is", async () => {
  const user = await service.user();
  const unknownHeader = await importFile(service, user, people, { columns: '{"Mail":"email"}' });
  expect(unknownHeader).toMatchObject({ status: "failed", metadata: { reason: "badColumns", unknown: ["Mail"] } });
  const unknownTarget = await importFile(service, user, people, { columns: '{"Email":"shoe"}' });
  expect(unknownTarget).toMatchObject({ status: "failed", metadata: { reason: "badColumns" } });
  expect(await leadsOf(user)).toEqual([]);
});
