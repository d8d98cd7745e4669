import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Answer, Client, SendOptions } from "../support/client.ts";
import { encoded } from "../support/encoded.ts";
import { eventually, startService, succeeded, usesBinary } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

type ReportRow = { row: number; outcome: string; leadId: string | null; errors: { path: string; message: string }[] };
type Report = { rows: ReportRow[]; total: number; nextRow: number | null };
type LeadPage = { leads: LeadView[]; total: number };

function send(
  client: Client,
  file: SendOptions["body"],
  query: SendOptions["query"] = {},
  type = "text/csv",
): Promise<Answer<JobView>> {
  return client.post<JobView>("/api/v2/leads/import", file, { query, headers: { "content-type": type } });
}

/** Imports the file and answers the job at its end. */
async function importFile(
  client: Client,
  file: SendOptions["body"],
  query: SendOptions["query"] = {},
  type = "text/csv",
): Promise<JobView> {
  const { data } = succeeded(await send(client, file, query, type));
  return service.ended(client, data.id);
}

async function leadsOf(client: Client): Promise<LeadView[]> {
  const { data } = succeeded(await client.get<LeadPage>("/api/v2/leads", { query: { sort: "email", limit: 100 } }));
  return data.leads;
}

async function reportOf(client: Client, { id }: JobView, query: SendOptions["query"] = {}): Promise<Report> {
  return succeeded(await client.get<Report>(`/api/v2/leads/import/${id}/report`, { query })).data;
}

async function keptFiles(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, "blobs", "imports")).catch(() => []);
}

/** It goes when the end of its job is on disk, so a moment after that can be seen. */
function fileIsRemoved({ id }: JobView): Promise<true> {
  return eventually("its file to be removed", async () =>
    (await keptFiles(service.dataDir)).includes(id) ? null : true,
  );
}

const people =
  "First Name,Last Name,Email,Company\nAda,Lovelace,ada@example.com,Engines\nGrace,Hopper,grace@example.com,Navy\n";

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
  const job = await importFile(user, people);
  expect(job).toMatchObject({ status: "completed", progress: 100 });
  expect(job.metadata).toMatchObject({ rows: 2, created: 2, updated: 0, skipped: 0, failed: 0 });
  expect(await leadsOf(user)).toMatchObject([
    { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", company: "Engines", status: "new" },
    { firstName: "Grace", lastName: "Hopper", email: "grace@example.com", company: "Navy", status: "new" },
  ]);
  await fileIsRemoved(job);
});

const asNdjson = [
  JSON.stringify({ firstName: "Ada", email: "ada@example.com", tags: ["x"], customFields: { deep: [1] } }),
  JSON.stringify({ "Full Name": "Grace Hopper", Email: "grace@example.com", Shoe: "38" }),
].join("\n");

test.each([
  ["application/x-ndjson"],
  ["application/ndjson"],
  ["application/jsonl"],
  ["text/plain"],
  ["application/octet-stream"],
])("the leads of an NDJSON file are stored when it comes as %s", async (type) => {
  const user = await service.user();
  await importFile(user, asNdjson, {}, type);
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
  expect((await importFile(user, people, {}, type)).metadata).toMatchObject({ created: 2 });
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
  ["application/vnd.ms-excel"],
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
  const job = await importFile(user, file, { dryRun: true });
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
      const { rows, created, updated, skipped, failed } = (await importFile(user, file, { onDuplicate, dryRun }))
        .metadata;
      return { rows, created, updated, skipped, failed };
    };
    expect(await counts(true)).toEqual(await counts(false));
  }
});

test("duplicates are skipped unless said otherwise, and the report names the lead that was there", async () => {
  const user = await service.user();
  const there = succeeded(
    await user.post<LeadView>("/api/v2/leads", { email: "ADA@example.com", title: "Countess" }),
  ).data;
  const job = await importFile(user, people);
  expect(job.metadata).toMatchObject({ created: 1, skipped: 1 });
  expect((await reportOf(user, job)).rows).toEqual([{ row: 2, outcome: "skipped", leadId: there.id, errors: [] }]);
  expect((await user.get<LeadView>(`/api/v2/leads/${there.id}`)).data).toEqual(there);
});

test("with onDuplicate=update a row is merged into the lead that is there", async () => {
  const user = await service.user();
  const there = succeeded(
    await user.post<LeadView>("/api/v2/leads", { email: "ada@example.com", title: "Countess", tags: ["old"] }),
  ).data;
  const job = await importFile(user, people, { onDuplicate: "update", tags: ["new"] });
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
  await importFile(user, people);
  expect((await importFile(user, people, { onDuplicate: "create" })).metadata).toMatchObject({
    created: 2,
    skipped: 0,
  });
  expect(await leadsOf(user)).toHaveLength(4);
});

test("tags and source of the request are given to every row, and a row's own source wins", async () => {
  const user = await service.user();
  const file = "email,source,tags\nada@example.com,fair,a;b\ngrace@example.com,,\n";
  await importFile(user, file, { tags: ["x", "y, z"], source: "list" });
  expect(await leadsOf(user)).toMatchObject([
    { source: "fair", tags: ["a", "b", "x", "y, z"] },
    { source: "list", tags: ["x", "y, z"] },
  ]);
});

test("columns that are named in the request go before what their headers say", async () => {
  const user = await service.user();
  const columns = JSON.stringify({ Kontakt: "email", Notes: "customFields.remark", Secret: "ignore", Wer: "fullName" });
  await importFile(user, "Kontakt;Notes;Secret;Wer\nada@example.com;hello;x;Ada Lovelace\n", { columns });
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
  const unknownHeader = await importFile(user, people, { columns: '{"Mail":"email"}' });
  expect(unknownHeader).toMatchObject({ status: "failed", metadata: { reason: "badColumns", unknown: ["Mail"] } });
  const unknownTarget = await importFile(user, people, { columns: '{"Email":"shoe"}' });
  expect(unknownTarget).toMatchObject({ status: "failed", metadata: { reason: "badColumns" } });
  expect(await leadsOf(user)).toEqual([]);
});

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
  const job = await importFile(user, file);
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
  const job = await importFile(user, rows.join("\n"));
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
  expect((await reportOf(user, await importFile(user, people, { dryRun: true }), { outcome: "created" })).rows).toEqual(
    [],
  );
  const stranger = await service.user();
  expect((await stranger.get(`/api/v2/leads/import/${job.id}/report`, { query: { outcome: "created" } })).status).toBe(
    404,
  );
});

test("a report comes in pages, and can be narrowed to one outcome", async () => {
  const user = await service.user();
  const rows = Array.from({ length: 250 }, (_, index) => (index % 2 === 0 ? `x${index}@example.com` : "broken"));
  await importFile(user, `email\n${rows.join("\n")}\n`);
  const job = await importFile(user, `email\n${rows.join("\n")}\n`);
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
  const job = await importFile(await service.user(), people);
  const stranger = await service.user();
  for (const id of [job.id, "nothing"])
    expect(await stranger.get(`/api/v2/leads/import/${id}/report`)).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      details: { resource: "job", id },
    });
});

const xlsx = new Uint8Array([0x50, 0x4b, 0x03, 0x04, ...new Uint8Array(200)]);

test.each<[string, string | Uint8Array, string]>([
  ["an Excel workbook", xlsx, "notText"],
  ["a PDF", "%PDF-1.7 ...", "notText"],
  ["a web page", "<!DOCTYPE html><table><tr><td>email</td></tr></table>", "notText"],
  ["binary data", new Uint8Array(500).map((_, index) => (index * 7) % 256), "notText"],
  ["a JSON list", '[{"email":"ada@example.com"}]', "notText"],
  ["nothing but spaces", "  \n\n  ", "empty"],
  ["prose", "Dear Sir or Madam,\nwhat is this?\n", "noColumns"],
  ["a table of something else", "shoe,size\nboot,38\n", "noColumns"],
])("a file that is %s fails with a reason that helps", async (_what, file, reason) => {
  const user = await service.user();
  const { data } = succeeded(await send(user, file, {}, "application/octet-stream"));
  const job = await service.ended(user, data.id);
  expect(job).toMatchObject({ status: "failed", metadata: { reason } });
  expect(job.message).toMatch(/^[A-Z].{10,}\.$/s);
  expect(job.completedAt).not.toBeNull();
  await fileIsRemoved(job);
});

test("an empty body is refused and makes no job", async () => {
  const user = await service.user();
  for (const body of ["", new Uint8Array(0), undefined])
    expect(await send(user, body)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect((await user.get("/api/v2/users/jobs")).data).toMatchObject({ jobs: [] });
});

/** As a stream, so that no length is announced. */
function inChunks(text: string, size = 1000): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, (sent += size)));
    },
  });
}

test("a file comes in chunks, too", async () => {
  const user = await service.user();
  expect((await importFile(user, inChunks(people, 7))).metadata).toMatchObject({ created: 2, bytes: people.length });
});

test("a file that is larger than allowed is refused, announced or not, and leaves nothing behind", async () => {
  await using small = await startService({ settings: { MAX_IMPORT_BYTES: 2048 } });
  const user = await small.user();
  const file = `email\n${"somebody@example.com\n".repeat(200)}`;
  for (const body of [file, inChunks(file)]) {
    const refused = await send(user, body);
    expect(refused).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE", details: { maxBytes: 2048 } });
  }
  const atLimit = `email\n${"x".repeat(2048 - 6)}`;
  expect((await send(user, atLimit)).status).toBe(202);
  await small.idle();
  await eventually("no file is left", async () => ((await keptFiles(small.dataDir)).length === 0 ? true : null));
});

test("a client that goes away in the middle leaves no file and no job", async () => {
  await using own = await startService();
  const user = await own.user();
  const abort = new AbortController();
  let isStored = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(people));
      await eventually("the file is being taken in", async () =>
        (await keptFiles(own.dataDir)).length > 0 ? true : null,
      );
      isStored = true;
      abort.abort();
    },
  });
  const sent = user.post("/api/v2/leads/import", body, {
    headers: { "content-type": "text/csv" },
    signal: abort.signal,
  });
  expect(
    await sent.then(
      () => "answered",
      () => "aborted",
    ),
  ).toBe("aborted");
  expect(isStored).toBe(true);
  await eventually("the file is removed", async () => ((await keptFiles(own.dataDir)).length === 0 ? true : null));
  expect((await user.get("/api/v2/users/jobs")).data).toMatchObject({ jobs: [] });
});

test("imports run one after the other, and one that waits can be canceled and run again later", async () => {
  await using own = await startService();
  const user = await own.user();
  const rows = Array.from({ length: 5000 }, (_, index) => `x${index}@example.com`);
  const long = succeeded(await send(user, `email\n${rows.join("\n")}\n`)).data;
  const waiting = succeeded(await send(user, people)).data;
  const canceled = await user.post<JobView>(`/api/v2/users/jobs/${waiting.id}/cancel`);
  expect(canceled.data).toMatchObject({ status: "failed", message: "Canceled", metadata: { canceled: true } });
  expect((await own.ended(user, long.id)).metadata).toMatchObject({ created: 5000 });
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 5000 });
  const again = await user.post<JobView>(`/api/v2/users/jobs/${waiting.id}/retry`);
  expect(again.data).toMatchObject({ status: "pending" });
  expect((await own.ended(user, waiting.id)).metadata).toMatchObject({ created: 2 });
});

test("the file of a canceled import goes when nobody can retry it any more, without a restart", async () => {
  await using own = await startService({ settings: { SIMULATE: "true" } });
  const rows = Array.from({ length: 5000 }, (_, index) => `x${index}@example.com`);
  const long = succeeded(await send(own.admin, `email\n${rows.join("\n")}\n`)).data;
  const waiting = succeeded(await send(own.admin, people)).data;
  const advance = async (duration: string) =>
    succeeded(await own.admin.post("/api/v2/simulation/clock", { advance: duration }));
  succeeded(await own.admin.post(`/api/v2/users/jobs/${waiting.id}/cancel`));
  await own.ended(own.admin, long.id);
  await advance("P6D");
  expect(await keptFiles(own.dataDir)).toEqual([waiting.id]);
  await advance("P3D");
  expect(await keptFiles(own.dataDir)).toEqual([]);
});

test("an import that is canceled while it runs stores nothing more", async () => {
  await using own = await startService();
  const user = await own.user();
  const rows = Array.from({ length: 30_000 }, (_, index) => `x${index}@example.com`);
  const { data } = succeeded(await send(user, `email\n${rows.join("\n")}\n`));
  await eventually("the first leads", async () =>
    (await user.get<LeadPage>("/api/v2/leads")).data.total > 0 ? true : null,
  );
  const canceled = succeeded(await user.post<JobView>(`/api/v2/users/jobs/${data.id}/cancel`)).data;
  const { total } = (await user.get<LeadPage>("/api/v2/leads")).data;
  expect(total).toBeLessThan(30_000);
  expect(canceled.metadata).toMatchObject({ created: total, canceled: true });
  await own.idle();
  expect((await user.get<LeadPage>("/api/v2/leads")).data.total).toBe(total);
});

test("an import that a stop interrupts goes on after the start, and stores every row once", async () => {
  await using own = await startService();
  const user = await own.user();
  const rows = Array.from({ length: 20_000 }, (_, index) => `x${index}@example.com`);
  const { data } = succeeded(await send(user, `email\n${rows.join("\n")}\n`, { onDuplicate: "create" }));
  await eventually("the first leads", async () =>
    (await user.get<LeadPage>("/api/v2/leads")).data.total > 0 ? true : null,
  );
  await own.restart();
  const job = await own.ended(user, data.id);
  expect(job).toMatchObject({ status: "completed", metadata: { rows: 20_000, created: 20_000 } });
  expect((await user.get<LeadPage>("/api/v2/leads")).data.total).toBe(20_000);
});

test("a lead can't be made, read or changed through the words import and export", async () => {
  const user = await service.user();
  expect((await user.get("/api/v2/leads/import")).status).toBe(404);
  expect((await user.delete("/api/v2/leads/export")).status).toBe(404);
  expect((await user.post("/api/v2/leads/export", {})).status).toBe(405);
});

test.skipIf(usesBinary)("imports of many users at the same time keep apart", async () => {
  const users = await Promise.all(Array.from({ length: 5 }, () => service.user()));
  await Promise.all(users.map((user, index) => importFile(user, `email\nonly-${index}@example.com\n`)));
  for (const [index, user] of users.entries())
    expect((await leadsOf(user)).map(({ email }) => email)).toEqual([`only-${index}@example.com`]);
});

type Preview = {
  problem: string | null;
  encoding: string | null;
  delimiter: string | null;
  columns: { header: string; target: string | null }[];
  targets: string[];
  rows: { row: number; lead: LeadView | null; errors: { path: string }[] }[];
};

const preview = (client: Client, file: SendOptions["body"], query: SendOptions["query"] = {}) =>
  client.post<Preview>("/api/v2/leads/import/preview", file, { query, headers: { "content-type": "text/csv" } });

test("a preview tells how the beginning of a file would be read, and stores nothing", async () => {
  const user = await service.user();
  const file = `Vorname;Nachname;Firma;Lieblingsfarbe\nAda;Lovelace;Engines;blau\nGrace;;;\n`;
  const { data } = succeeded(await preview(user, file));
  expect(data).toMatchObject({ problem: null, delimiter: ";" });
  expect(data.columns.map(({ target }) => target)).toEqual([
    "firstName",
    "lastName",
    "company",
    "customFields.Lieblingsfarbe",
  ]);
  expect(data.rows[0]).toMatchObject({ row: 2, lead: { firstName: "Ada", customFields: { Lieblingsfarbe: "blau" } } });
  expect(data.rows[1]).toMatchObject({ row: 3, lead: null });
  expect(data.rows[1]?.errors).not.toEqual([]);
  expect(await leadsOf(user)).toEqual([]);
});

test("a preview tells the encoding, takes another that is named, and refuses what can't be told", async () => {
  const user = await service.user();
  const western = encoded("Email,First Name\na@x.com,Zoë\n", "windows-1252");
  const told = succeeded(await preview(user, western)).data;
  expect(told).toMatchObject({ encoding: "windows-1252", rows: [{ lead: { firstName: "Zoë" } }] });
  const named = succeeded(await preview(user, western, { encoding: "iso-8859-2" })).data;
  expect(named).toMatchObject({ encoding: "iso-8859-2", rows: [{ lead: { firstName: "Zoë" } }] });
  const unknown = await preview(user, encoded("Email,First Name\na@x.com,Łukasz Wiśniewski\n", "windows-1250"));
  expect(unknown).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(unknown.message).toContain("UTF-8");
});

test("a preview of headers that nobody understands names them, until they are mapped", async () => {
  const user = await service.user();
  const file = "Kürzel,Kontakt\nx,ada@example.com\n";
  const unknown = succeeded(await preview(user, file)).data;
  expect(unknown.problem).toContain("Kürzel");
  expect(unknown.columns).toEqual([
    { header: "Kürzel", target: null },
    { header: "Kontakt", target: null },
  ]);
  expect(unknown.targets).toContain("email");
  const mapped = succeeded(await preview(user, file, { columns: JSON.stringify({ Kontakt: "email" }) })).data;
  expect(mapped).toMatchObject({ problem: null, rows: [{ lead: { email: "ada@example.com" } }] });
});

test("a preview of what is no list of people says what it is", async () => {
  const user = await service.user();
  const answer = await preview(user, "PK\u0003\u0004 and so on");
  expect([answer.status, answer.code]).toEqual([400, "VALIDATION_ERROR"]);
  expect(answer.message).toContain("Save the sheet as CSV");
  expect((await preview(user, "x".repeat(2 * 65_536 + 1))).status).toBe(413);
});
