import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { encoded } from "../support/encoded.ts";
import { startService, succeeded } from "../support/service.ts";
import { send, importFile, leadsOf, reportOf, fileIsRemoved, people } from "../support/lead-import-api.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

const asNdjson = [
  JSON.stringify({ firstName: "Ada", email: "ada@example.com", tags: ["x"], customFields: { deep: [1] } }),
  JSON.stringify({ "Full Name": "Grace Hopper", Email: "grace@example.com", Shoe: "38" }),
].join("\n");

test("an import answers at once with a job, and its place", async () => {
  const user = await service.user();
  const { status, data, headers } = await send(user, people);
  expect(status).toBe(202);
  expect(headers.get("location")).toBe(`/api/v2/users/jobs/${data.id}`);
  expect(data).toMatchObject({ type: "lead_import", status: "pending", progress: 0, completedAt: null });
  expect(data.metadata).toMatchObject({ bytes: people.length, dryRun: false, onDuplicate: "skip" });
});

test.each(["/api/v2/leads/import", "/api/v2/prospecting/import"])(
  "%s: the job names where each column went, and how duplicates are met",
  async (path) => {
    const client = await service.user();
    const headers = { "content-type": "text/csv" };
    const text = "E-mail,Job Title\nada@example.com,CTO\n";
    const started = succeeded(await client.post<JobView>(path, text, { headers, query: { onDuplicate: "skip" } })).data;
    const { metadata } = await service.ended(client, started.id);
    expect(metadata).toMatchObject({ columns: { "E-mail": "email", "Job Title": "title" }, onDuplicate: "skip" });
  },
);

test("the leads of a CSV file are stored, and the job counts them", async () => {
  const user = await service.user();
  const job = await importFile(service, user, people);
  expect(job).toMatchObject({ status: "completed", progress: 100 });
  expect(job.metadata).toMatchObject({ rows: 2, created: 2, updated: 0, skipped: 0, failed: 0 });
  expect(await leadsOf(user)).toMatchObject([
    { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", company: "Engines", status: "new" },
    { firstName: "Grace", lastName: "Hopper", email: "grace@example.com", company: "Navy", status: "new" },
  ]);
  await fileIsRemoved(service, job);
});

test.each([
  ["application/x-ndjson"],
  ["application/ndjson"],
  ["application/jsonl"],
  ["text/plain"],
  ["application/octet-stream"],
])("the leads of an NDJSON file are stored when it comes as %s", async (type) => {
  const user = await service.user();
  await importFile(service, user, asNdjson, {}, type);
  expect(await leadsOf(user)).toMatchObject([
    { firstName: "Ada", tags: ["x"], customFields: { deep: [1] } },
    { firstName: "Grace", lastName: "Hopper", customFields: { Shoe: "38" } },
  ]);
});

test.each([
  ["text/csv"],
  ["Text/CSV; charset=utf-8"],
  ["text/tab-separated-values"],
  ["application/csv"],
  ["text/plain"],
  ["application/octet-stream"],
])("a CSV file is understood when it comes as %s", async (type) => {
  const user = await service.user();
  expect((await importFile(service, user, people, {}, type)).metadata).toMatchObject({ created: 2 });
});

test.each(["/api/v2/leads/import", "/api/v2/prospecting/import"])(
  "%s tells the encoding that it took",
  async (route) => {
    const user = await service.user();
    const list = (encoding: string, names: string) => encoded(`Email,First Name,Last Name\n${names}`, encoding);
    const sent = async (body: Uint8Array, query: Record<string, string> = {}) => {
      const answer = await user.post<JobView>(route, body, { query, headers: { "content-type": "text/csv" } });
      return await service.ended(user, succeeded(answer).data.id);
    };
    const western = list("windows-1252", "a@x.com,Zoë,Größe\n");
    const polish = list("windows-1250", "b@x.com,Łukasz,Wiśniewski\n");
    for (const dryRun of ["true", "false"])
      expect(await sent(western, { dryRun })).toMatchObject({
        metadata: { created: 1, encoding: "windows-1252" },
        message: expect.stringContaining("Read as windows-1252"),
      });
    expect((await sent(list("utf-8", "c@x.com,Zoë,Größe\n"))).metadata).not.toHaveProperty("encoding");
    const refused = await sent(polish);
    expect(refused).toMatchObject({
      ...{ status: "failed", message: expect.stringContaining("--encoding") },
      metadata: { reason: "unknownEncoding", likely: ["windows-1250"] },
    });
    expect(await sent(polish, { encoding: "CP1250" })).toMatchObject({
      metadata: { created: 1, failed: 0, encoding: "windows-1250" },
    });
    const wrong = await user.post(route, polish, { query: { encoding: "x" }, headers: { "content-type": "text/csv" } });
    expect(wrong).toMatchObject({ status: 400, code: "VALIDATION_ERROR", details: { errors: [{ path: "encoding" }] } });
  },
);

test.each(["/api/v2/leads/import", "/api/v2/prospecting/import"])(
  "%s takes the charset of the content type for the encoding, unless another is said",
  async (route) => {
    const user = await service.user();
    const polish = encoded("Email,First Name,Last Name\na@x.com,Łukasz,Wiśniewski\n", "windows-1250");
    const send = (type: string, query: Record<string, string> = {}) =>
      user.post<JobView>(route, polish, { query: { dryRun: "true", ...query }, headers: { "content-type": type } });
    const taken = async (type: string, query?: Record<string, string>) =>
      (await service.ended(user, succeeded(await send(type, query)).data.id)).metadata;
    for (const type of ["text/csv; charset=windows-1250", 'text/csv;header=present;CharSet="cp1250"'])
      expect(await taken(type)).toMatchObject({ created: 1, encoding: "windows-1250" });
    expect(await taken("text/csv; charset=shift_jis", { encoding: "windows-1250" })).toMatchObject({
      encoding: "windows-1250",
    });
    // Without one it is found out, which these few letters do not let it; UTF-8 is said by clients that have not looked.
    for (const type of ["text/csv; charset=", "text/csv; charset=UTF-8"])
      expect(await taken(type)).toMatchObject({ reason: "unknownEncoding" });
    expect(await send("text/csv; charset=klingon")).toMatchObject({
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
      message: expect.stringMatching(/charset.*Unknown encoding "klingon".*windows-1252/),
    });
  },
);

test("a file without a content type is looked at", async () => {
  const user = await service.user();
  const { data } = succeeded(await user.post<JobView>("/api/v2/leads/import", new TextEncoder().encode(people)));
  expect((await service.ended(user, data.id)).metadata).toMatchObject({ created: 2 });
});

test.each([
  ["application/json"],
  ["multipart/form-data; boundary=x"],
  ["application/msword"],
  ["constructor"],
  ["image/png"],
  ["nonsense"],
])("a file that comes as %s is refused with the types that are understood", async (type) => {
  const user = await service.user();
  const refused = await send(user, people, {}, type);
  expect(refused).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
  expect(refused.details?.["supported"]).toContain("text/csv");
});

test("a dry run reports everything and stores nothing", async () => {
  const user = await service.user();
  await user.post("/api/v2/leads", { email: "ada@example.com" });
  const file = `${people}Ann,Other,ann@example.com,X\nAnn,Again,ANN@example.com,X\nNo,Body,broken,\n`;
  const job = await importFile(service, user, file, { dryRun: true });
  expect(job.metadata).toMatchObject({ dryRun: true, rows: 5, created: 2, skipped: 2, failed: 1 });
  expect(job.message).toContain("nothing was stored");
  expect(await leadsOf(user)).toHaveLength(1);
  expect((await reportOf(user, job)).rows.map(({ row, outcome }) => [row, outcome])).toEqual([
    [2, "skipped"],
    [5, "skipped"],
    [6, "failed"],
  ]);
});

test("a dry run foresees what the import then does", async () => {
  const file = `${people}Ann,Other,ann@example.com,X\nAnn,Again,ANN@example.com,X\nNo,Body,broken,\nAda,L,ada@example.com,\n`;
  for (const onDuplicate of ["skip", "update", "create"]) {
    const user = await service.user();
    await user.post("/api/v2/leads", { email: "grace@example.com" });
    const counts = async (dryRun: boolean) => {
      const { rows, created, updated, skipped, failed } = (
        await importFile(service, user, file, { onDuplicate, dryRun })
      ).metadata;
      return { rows, created, updated, skipped, failed };
    };
    expect(await counts(true)).toEqual(await counts(false));
  }
});
