import { afterAll, expect, test } from "bun:test";
import type { BulkReport } from "../../src/features/leads/bulk-model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

async function lead(client: Client, change: object = {}): Promise<LeadView> {
  const input = { email: `${crypto.randomUUID()}@example.com`, ...change };
  return succeeded(await client.post<LeadView>("/api/v2/leads", input)).data;
}

async function read(client: Client, { id }: LeadView): Promise<LeadView> {
  return succeeded(await client.get<LeadView>(`/api/v2/leads/${id}`)).data;
}

test("what can't be tried out is not done by who wants to try it", async () => {
  const client = await service.user();
  const one = await lead(client);
  const tries = [
    client.post("/api/v2/leads/bulk/delete", { ids: [one.id], dryRun: true }),
    client.post("/api/v2/leads/bulk/delete", { ids: [one.id] }, { query: { dryRun: "true" } }),
    client.send("DELETE", `/api/v2/leads/${one.id}`, { query: { dryRun: "1" } }),
  ];
  for (const { status, code, details } of await Promise.all(tries))
    expect([status, code, JSON.stringify(details)]).toEqual([
      400,
      "VALIDATION_ERROR",
      expect.stringContaining("dryRun"),
    ]);
  await read(client, one);
  succeeded(await client.post("/api/v2/leads/bulk/delete", { ids: [one.id], dryRun: false }));
  expect((await client.get(`/api/v2/leads/${one.id}`)).status).toBe(404);
});

test.each<[query: Record<string, string>, body: object, path: string, hint: string]>([
  [{ dryrun: "true" }, {}, "dryrun", "Did you mean dryRun?"],
  [{ dry_run: "1" }, {}, "dry_run", "Did you mean dryRun?"],
  [{ userid: "somebody" }, {}, "userid", "Did you mean userId?"],
  [{ ids: "x" }, {}, "ids", "Send ids in the body."],
  [{ colour: "red" }, {}, "colour", "Omit it."],
  [{}, { dryrun: true }, "dryrun", "Did you mean dryRun?"],
  [{}, { DRY_RUN: true }, "DRY_RUN", "Did you mean dryRun?"],
  [{}, { dryRn: true }, "dryRn", "Did you mean dryRun?"],
  [{}, { isDryRun: true }, "isDryRun", "Did you mean dryRun?"],
  [{}, { user_id: "somebody" }, "user_id", "Did you mean userId?"],
  [{ dryRun: "" }, {}, "dryRun", "Expected true or false"],
  [{ dryRun: "true" }, { dryRun: false }, "dryRun", "This cannot be run as a trial."],
  [{ dryRun: "0" }, { dryRun: true }, "dryRun", "This cannot be run as a trial."],
])("what nobody can have meant, %p with %p, is refused and not done", async (query, body, path, hint) => {
  const client = await service.user();
  const one = await lead(client);
  const refused = await client.post("/api/v2/leads/bulk/delete", { ids: [one.id], ...body }, { query });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(refused.details).toMatchObject({ errors: [{ path, message: expect.stringContaining(hint) }] });
  await read(client, one);
});

test("dryRun that comes twice is refused, whatever it says", async () => {
  const client = await service.user();
  const one = await lead(client);
  for (const twice of ["dryRun=true&dryRun=true", "dryRun=false&dryRun=true"])
    for (const path of ["/api/v2/leads/bulk/delete", "/api/v2/enrich"]) {
      const body = path.endsWith("delete") ? { ids: [one.id] } : { leads: [{ leadId: one.id }] };
      const refused = await client.post(`${path}?${twice}`, body);
      expect(refused.details).toMatchObject({ errors: [{ path: "dryRun" }] });
    }
  await read(client, one);
});

test("a misspelled parameter is told the name that it may have, and what the route takes", async () => {
  const client = await service.user();
  const create = (query: Record<string, string>) =>
    client.post("/api/v2/leads", { email: "ada@example.com", shoeSize: 39 }, { query });
  expect((await create({ onduplicate: "error" })).message).toContain("Did you mean onDuplicate?");
  expect((await create({ upsert: "true" })).body).toMatchObject({
    warnings: [
      { path: "upsert", message: expect.stringContaining("Expected one of onDuplicate.") },
      { path: "shoeSize" },
    ],
  });
  expect((await client.send("DELETE", "/api/v2/leads/nothing", { query: { supress: "true" } })).message).toContain(
    "Did you mean suppress?",
  );
  expect((await create({})).status).toBe(200);
  expect((await client.get("/api/v2/leads", { query: { emial: "x" } })).status).toBe(200);
});

test("status and tags of many leads change in one request; other fields stay", async () => {
  const client = await service.user();
  const one = await lead(client, { tags: ["Spring", "vip"], company: "Engines" });
  const two = await lead(client, { tags: ["old"] });
  const change = {
    ids: [one.id, two.id, one.id],
    status: "contacted",
    addTags: ["spring", "2026"],
    removeTags: ["OLD"],
  };
  expect(succeeded(await client.post<BulkReport>("/api/v2/leads/bulk/update", change)).data).toEqual({
    changed: 2,
    failed: [],
  });
  expect(await read(client, one)).toMatchObject({
    status: "contacted",
    tags: ["Spring", "vip", "2026"],
    company: "Engines",
  });
  expect(await read(client, two)).toMatchObject({ status: "contacted", tags: ["spring", "2026"] });
});

test("what is wrong with one lead does not stop the others, and is told", async () => {
  const client = await service.user();
  const own = await lead(client);
  const foreign = await lead(await service.user());
  const ids = [foreign.id, own.id, "nothing"];
  const report = succeeded(await client.post<BulkReport>("/api/v2/leads/bulk/delete", { ids })).data;
  expect(report.changed).toBe(1);
  expect(report.failed.map(({ id, code }) => [id, code])).toEqual([
    [foreign.id, "NOT_FOUND"],
    ["nothing", "NOT_FOUND"],
  ]);
  expect((await client.get(`/api/v2/leads/${own.id}`)).status).toBe(404);
});

test("tags that two add at the same moment are both there", async () => {
  const client = await service.user();
  const { id } = await lead(client);
  const add = (tag: string) => client.post("/api/v2/leads/bulk/update", { ids: [id], addTags: [tag] });
  await Promise.all([add("a"), add("b"), add("c")]);
  const { tags } = succeeded(await client.get<LeadView>(`/api/v2/leads/${id}`)).data;
  expect(tags.toSorted()).toEqual(["a", "b", "c"]);
});

test.each([
  ["no leads", { ids: [] }, "ids"],
  ["too many", { ids: Array.from({ length: 501 }, (_, n) => `id-${n}`) }, "ids"],
  ["a status that there is not", { ids: ["a"], status: "asleep" }, "status"],
])("%s are refused, with the field", async (_what, input, path) => {
  const answer = await (await service.user()).post("/api/v2/leads/bulk/update", input);
  expect([answer.status, answer.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(answer.body).toMatchObject({ details: { errors: [{ path }] } });
});
