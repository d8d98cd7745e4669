import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type {
  SuppressionAnswer,
  SuppressionImport,
  SuppressionResults,
  SuppressionView,
} from "../../src/features/suppression/model.ts";
import type { Client, SendOptions } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who share nothing but the team's entries. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const api = "/api/v2/suppressions";
type Page = { suppressions: SuppressionView[]; total: number; nextCursor: string | null };

async function add(client: Client, values: string[], options: object = {}): Promise<SuppressionResults> {
  return succeeded(await client.post<SuppressionResults>(api, { values, ...options })).data;
}

/** Adds one value, and answers the id of its entry. */
async function addOne(client: Client, value: string, options: object = {}): Promise<string> {
  const [result] = (await add(client, [value], options)).results;
  if (!result?.id) throw new Error(`Expected an entry, got ${JSON.stringify(result)}`);
  return result.id;
}

async function list(client: Client, query: SendOptions["query"] = {}): Promise<Page> {
  return succeeded(await client.get<Page>(api, { query: { scope: "user", ...query } })).data;
}

async function importText(client: Client, text: string, query: SendOptions["query"] = {}) {
  return client.post<SuppressionImport>(`${api}/import`, text, { headers: { "content-type": "text/csv" }, query });
}

test("an objection by email stops actions that name only the profile, also one that is waiting", async () => {
  const user = await service.user();
  const profileUrl = "https://www.linkedin.com/in/ada-objects";
  succeeded(await user.post("/api/v2/leads", { email: "ada@objects.example", networkUrl: profileUrl }));
  const actions = "/api/v2/network/actions";
  const { data: waiting } = succeeded(
    await user.post<{ jobId: string }>("/api/v2/network/scheduleNetworkAction", {
      actionType: "visitProfile",
      profileUrl,
      requireApproval: true,
    }),
  );
  await addOne(user, "ada@objects.example");
  const refused = { status: 409, code: "DO_NOT_CONTACT", details: { kind: "email" } };
  const actionType = "sendMessage";
  expect(
    await user.post("/api/v2/network/scheduleNetworkAction", { actionType, profileUrl, message: "Hi" }),
  ).toMatchObject(refused);
  expect(await user.post(`${actions}/record`, { actionType, profileUrl, message: "Hi" })).toMatchObject(refused);
  expect(await user.post(`${actions}/${waiting.jobId}/approve`, {})).toMatchObject(refused);
  const check = await user.post<SuppressionAnswer>(`${api}/check`, { networkUrl: profileUrl });
  expect(succeeded(check).data).toMatchObject({ doNotContact: true, matches: [{ kind: "email" }] });
});

test("each value of a call has its own outcome, in order", async () => {
  const user = await service.user();
  await add(user, ["bob@example.com"]);
  const { results, ...counts } = await add(user, [
    "Ada@Example.com",
    "bob@example.com",
    "@co.uk",
    "@example.org",
    "030 123456",
    "+442079460018",
    "network.example/in/ada",
    "@gmail.com",
  ]);
  expect(counts).toEqual({ added: 5, existing: 1, invalid: 2 });
  expect(results.map(({ outcome, kind }) => [outcome, kind])).toEqual([
    ["added", "email"],
    ["existing", "email"],
    ["invalid", null],
    ["added", "domain"],
    ["invalid", null],
    ["added", "phone"],
    ["added", "profile"],
    ["added", "domain"],
  ]);
  expect(results[0]?.value).toBe("Ada@Example.com");
  expect(results[2]).toMatchObject({ id: null, message: expect.stringContaining("registry") });
  expect(results[4]).toMatchObject({ id: null, message: expect.stringContaining("country code") });
  expect(results[7]?.message).toContain("public email provider");
});

test("a call takes 10,000 values, once or again, and no more", async () => {
  const user = await service.user();
  const values = Array.from({ length: 10_000 }, (_, n) => `person${n}@example.com`);
  expect(await add(user, values)).toMatchObject({ added: 10_000, existing: 0 });
  expect(await add(user, values)).toMatchObject({ added: 0, existing: 10_000 });
  expect(await user.post(api, { values: [...values, "one@more.example"] })).toMatchObject({
    status: 400,
    details: { errors: [{ path: "values" }] },
  });
  expect((await list(user)).total).toBe(10_000);
});

test.each([
  [{}],
  [{ values: [] }],
  [{ values: "ada@example.com" }],
  [{ values: [5] }],
  [{ values: ["a"], scope: "all" }],
])("%j is refused", async (body) => {
  expect(await service.admin.post(api, body)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
});

test("an entry is read with its hash, and is nobody else's", async () => {
  const [user, other] = [await service.user(), await service.user()];
  const id = await addOne(user, "Ada@Example.com", { reason: " asked us\nto stop " });
  const entry = succeeded(await user.get<SuppressionView>(`${api}/${id}`)).data;
  expect(entry).toEqual({
    id,
    kind: "email",
    scope: "user",
    value: "ada@example.com",
    hash: `sha256:email:${new Bun.CryptoHasher("sha256").update("email:ada@example.com").digest("hex").slice(0, 32)}`,
    reason: "asked us to stop",
    source: "api",
    createdAt: entry.createdAt,
  });
  for (const [method, path] of [
    ["GET", id],
    ["DELETE", id],
    ["POST", `${id}/erase`],
  ])
    expect(await other.send(method!, `${api}/${path}`)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect((await user.get(`${api}/${id}`)).status).toBe(200);
});

test("lists are newest first, in pages, narrowed by kind, value and text", async () => {
  const user = await service.user();
  for (const value of ["ada@example.com", "@example.org", "+442079460018", "bob@example.org"])
    await addOne(user, value);
  const valuesOf = async (query: SendOptions["query"]) =>
    (await list(user, query)).suppressions.map(({ value }) => value);
  expect(await valuesOf({})).toEqual(["bob@example.org", "+442079460018", "example.org", "ada@example.com"]);
  expect(await valuesOf({ kind: "email" })).toEqual(["bob@example.org", "ada@example.com"]);
  expect(await valuesOf({ q: "Example.ORG" })).toEqual(["bob@example.org", "example.org"]);
  expect(await valuesOf({ value: "+44 (0)20 7946 0018" })).toEqual(["+442079460018"]);
  expect(await list(user, { kind: "email", limit: 1 })).toMatchObject({ total: 2 });
  expect(await user.get(api, { query: { value: "nonsense" } })).toMatchObject({
    status: 400,
    details: { errors: [{ path: "value" }] },
  });
  const seen: (string | null)[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page: Page = await list(user, { limit: 3, cursor });
    seen.push(...page.suppressions.map(({ value }) => value));
    cursor = page.nextCursor ?? undefined;
  }
  expect(seen).toEqual(await valuesOf({}));
});

test("nobody on the list can be stored, and the refusal names the entry and the way out", async () => {
  const user = await service.user();
  const entryId = await addOne(user, "@stopped.example", { reason: "competitor" });
  const refused = await user.post("/api/v2/leads", { email: "ada@mail.stopped.example" });
  expect(refused).toMatchObject({
    status: 409,
    code: "DO_NOT_CONTACT",
    details: { kind: "domain", entryId, scope: "user" },
  });
  expect(refused.message).toContain("competitor");
  expect(refused.message).toContain(`DELETE ${api}/${entryId}`);
  for (const onDuplicate of ["create", "update", "error"])
    expect(
      await user.post("/api/v2/leads", { email: "ada@stopped.example" }, { query: { onDuplicate } }),
    ).toMatchObject({ status: 409, code: "DO_NOT_CONTACT" });
  expect((await user.get<{ total: number }>("/api/v2/leads")).data.total).toBe(0);

  succeeded(await user.delete(`${api}/${entryId}`));
  succeeded(await user.post("/api/v2/leads", { email: "ada@stopped.example" }));
});

test("no lead is given an address that is on the list; one that has it can be worked on", async () => {
  const user = await service.user();
  const { id } = succeeded(await user.post<LeadView>("/api/v2/leads", { email: "ada@example.com" })).data;
  await add(user, ["ada@example.com", "bob@example.com", "+442079460018", "https://network.example/in/bob"]);
  for (const change of [
    { email: "bob@example.com" },
    { phone: "+44 20 7946 0018" },
    { networkUrl: "http://network.example/in/Bob/" },
  ])
    expect(await user.put(`/api/v2/leads/${id}`, change)).toMatchObject({ status: 409, code: "DO_NOT_CONTACT" });
  const changed = succeeded(await user.put<LeadView>(`/api/v2/leads/${id}`, { status: "unqualified" })).data;
  expect(changed).toMatchObject({ email: "ada@example.com", status: "unqualified", phone: null });
});

test("a lead that came before its entry is marked wherever it is read, for as long as the entry holds", async () => {
  const user = await service.user();
  const { id } = succeeded(
    await user.post<LeadView>("/api/v2/leads", { networkUrl: "https://network.example/in/ada" }),
  ).data;
  succeeded(await user.post("/api/v2/leads", { email: "bob@example.com" }));
  const marks = async () => {
    const { leads } = (await user.get<{ leads: LeadView[] }>("/api/v2/leads", { query: { sort: "createdAt" } })).data;
    const one = (await user.get<LeadView>(`/api/v2/leads/${id}`)).data;
    const changed = (await user.put<LeadView>(`/api/v2/leads/${id}`, { status: "unqualified" })).data;
    return [...leads, one, changed].map(({ doNotContact }) => doNotContact);
  };
  expect(await marks()).toEqual([undefined, undefined, undefined, undefined]);
  const entry = await addOne(user, "http://www.network.example/in/Ada");
  expect(await marks()).toEqual([true, undefined, true, true]);
  // A copy from before the entry is no longer good.
  const known = { headers: { "if-none-match": "*" } };
  expect(await user.get(`/api/v2/leads/${id}`, known)).toMatchObject({ status: 200, data: { doNotContact: true } });
  await user.delete(`${api}/${entry}`);
  expect(await marks()).toEqual([undefined, undefined, undefined, undefined]);
  expect((await user.get(`/api/v2/leads/${id}`, known)).status).toBe(304);
});

test.each(["true", "false"])("an import skips them and says so; dry run %s", async (dryRun) => {
  const user = await service.user();
  const entryId = await addOne(user, "ada@example.com");
  const { data } = succeeded(
    await user.post<JobView>("/api/v2/leads/import", "email\nada@example.com\nbob@example.com\n", {
      query: { dryRun },
      headers: { "content-type": "text/csv" },
    }),
  );
  const job = await service.ended(user, data.id);
  expect(job.metadata).toMatchObject({ rows: 2, created: 1, skipped: 1, failed: 0, doNotContact: 1 });
  expect(job.message).toContain("1 skipped (1 on the do-not-contact list)");
  const report = await user.get<{ rows: object[] }>(`/api/v2/leads/import/${data.id}/report`);
  expect(report.data.rows).toEqual([
    {
      row: 2,
      outcome: "skipped",
      leadId: null,
      errors: [{ path: "email", message: expect.stringContaining(entryId), code: "DO_NOT_CONTACT" }],
    },
  ]);
});

test("the team's entries hold for everybody; only an admin adds, erases or removes them", async () => {
  const [user, global] = [await service.user(), await service.globalKey()];
  expect(await user.post(api, { values: ["@team.example"], scope: "team" })).toMatchObject({
    status: 403,
    code: "PERMISSION_DENIED",
  });
  expect(await importText(user, "@team.example", { scope: "team" })).toMatchObject({ status: 403 });
  const id = await addOne(service.admin, "@team.example", { scope: "team" });
  expect(await user.post("/api/v2/leads", { email: "ada@team.example" })).toMatchObject({
    status: 409,
    details: { entryId: id, scope: "team" },
    message: expect.stringContaining("an admin"),
  });
  expect((await user.get<SuppressionView>(`${api}/${id}`)).data).toMatchObject({
    scope: "team",
    value: "team.example",
  });
  expect((await list(user, { scope: "team", q: "team.example" })).total).toBe(1);
  expect((await list(user)).total).toBe(0);
  expect(await user.delete(`${api}/${id}`)).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect(await user.post(`${api}/${id}/erase`)).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  const query = { userId: user.userId };
  succeeded(await global.delete(`${api}/${id}`, { query }));
  succeeded(await user.post("/api/v2/leads", { email: "ada@team.example" }));
});

test("check tells every entry that stands in the way, or what it can't understand", async () => {
  const user = await service.user();
  const email = await addOne(user, "ada@check.example", { reason: "unsubscribed" });
  const domain = await addOne(user, "@check.example");
  const check = (body: object) => user.post<SuppressionAnswer>(`${api}/check`, body);
  expect((await check({ email: "ADA@check.example", phone: "+442079460018" })).data).toEqual({
    doNotContact: true,
    matches: [
      { entryId: email, kind: "email", scope: "user", reason: "unsubscribed" },
      { entryId: domain, kind: "domain", scope: "user", reason: null },
    ],
  });
  expect((await check({ networkUrl: "https://network.example/in/nobody" })).data).toEqual({
    doNotContact: false,
    matches: [],
  });
  for (const body of [{}, { email: "nobody" }, { phone: "020 7946 0018" }, { networkUrl: "ada@check.example" }])
    expect(await check(body)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
});

test("erasing an entry forgets its value; it goes on to hold, and can be found by the value", async () => {
  const user = await service.user();
  const id = await addOne(user, "ada@example.com", { reason: "Ada asked" });
  const erased = succeeded(await user.post<SuppressionView>(`${api}/${id}/erase`)).data;
  expect(erased).toMatchObject({ id, kind: "email", value: null, reason: null });
  expect(JSON.stringify(await list(user))).not.toContain("ada@example.com");
  expect((await list(user, { value: "ada@example.com" })).suppressions).toEqual([erased]);
  expect(await user.post("/api/v2/leads", { email: "ada@example.com" })).toMatchObject({ status: 409 });
  expect(await add(user, ["ada@example.com"])).toMatchObject({ existing: 1 });
  expect((await user.get<SuppressionView>(`${api}/${id}`)).data.value).toBeNull();
  expect((await add(user, ["eve@example.com"], { hashOnly: true })).added).toBe(1);
  expect((await list(user, { value: "eve@example.com" })).suppressions).toMatchObject([{ value: null }]);
});

test("deleting a lead with suppress=true keeps hashes of its addresses, and nothing that can be read", async () => {
  const user = await service.user();
  const ada = { email: "Ada@Example.com", networkUrl: "https://network.example/in/ada", phone: "+44 20 7946 0018" };
  await addOne(user, "ada@example.com", { reason: "Ada asked" });
  const { id } = (await user.post<LeadView>("/api/v2/leads", { ...ada, email: null })).data;
  await user.delete(`${api}/${(await list(user)).suppressions[0]?.id}`);
  succeeded(await user.put(`/api/v2/leads/${id}`, { email: ada.email }));
  await addOne(user, "ada@example.com", { reason: "Ada asked" });

  expect(
    await user.delete(`/api/v2/leads/${id}`, { query: { suppress: true }, headers: { "if-match": '"1"' } }),
  ).toMatchObject({ status: 412 });
  const deleted = succeeded(await user.delete(`/api/v2/leads/${id}`, { query: { suppress: true } }));
  expect((deleted.body as { message: string }).message).toContain("email, profile, phone");
  expect((await user.get(`/api/v2/leads/${id}`)).status).toBe(404);
  const { suppressions, total } = await list(user);
  expect(total).toBe(3);
  expect(suppressions.map(({ kind }) => kind).toSorted()).toEqual(["email", "phone", "profile"]);
  expect(suppressions.every(({ value, reason }) => value === null && reason === null)).toBe(true);
  for (const way of [
    { email: ada.email },
    { networkUrl: ada.networkUrl },
    { email: "x@example.com", phone: ada.phone },
  ])
    expect(await user.post("/api/v2/leads", way)).toMatchObject({ status: 409, code: "DO_NOT_CONTACT" });
});

test("a lead that can't be reached leaves no entry, and the answer says so", async () => {
  const user = await service.user();
  const lead = { firstName: "Ada", lastName: "Lovelace", company: "Engines" };
  const { id } = (await user.post<LeadView>("/api/v2/leads", lead)).data;
  const deleted = succeeded(await user.delete(`/api/v2/leads/${id}`, { query: { suppress: true } }));
  expect((deleted.body as { message: string }).message).toContain("no email address");
  expect((await list(user)).total).toBe(0);
});

test("a list is imported whatever its form, with every problem told", async () => {
  const user = await service.user();
  const csv =
    "Name;E-Mail;LinkedIn;Reason\nAda;ada@example.com;;asked\nBob;;https://network.example/in/bob;\nEve;nonsense;;\n;;;\n";
  const { data } = succeeded(await importText(user, csv, { reason: "old list" }));
  expect(data).toEqual({
    rows: 3,
    added: 2,
    existing: 0,
    invalid: 1,
    problems: [{ row: 4, value: "nonsense", message: expect.stringContaining("is not a valid entry") }],
  });
  expect((await list(user)).suppressions.map(({ value, reason, source }) => [value, reason, source])).toEqual([
    ["https://network.example/in/bob", "old list", "import"],
    ["ada@example.com", "asked", "import"],
  ]);
  expect((await importText(user, "ada@example.com\n@example.org")).data).toMatchObject({
    rows: 2,
    added: 1,
    existing: 1,
  });
});

test("what is no list is refused", async () => {
  const user = await service.user();
  expect(await importText(user, "")).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(await importText(user, "\n\n")).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(await importText(user, "PK\u0003\u0004")).toMatchObject({ status: 400, code: "INVALID_FILE_FORMAT" });
  const png = { headers: { "content-type": "image/png" } };
  expect(await user.post(`${api}/import`, "x", png)).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
  const { data } = succeeded(await importText(user, "x\n".repeat(5000)));
  expect(data).toMatchObject({ rows: 5000, invalid: 5000 });
  expect(data.problems).toHaveLength(100);
});

test("a list larger than the limit is refused, announced or not", async () => {
  await using small = await startService({ settings: { MAX_IMPORT_BYTES: "4KiB" } });
  const text = "ada@example.com\n".repeat(1000);
  expect(await importText(small.admin, text)).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
  const stream = new Blob([text]).stream();
  const headers = { "content-type": "text/csv" };
  expect(await small.admin.post(`${api}/import`, stream, { headers })).toMatchObject({ status: 413 });
});

test("an export is taken back by an import as it is, hashes too", async () => {
  const [user, other] = [await service.user(), await service.user()];
  const values = [
    "=ada@example.com",
    "@example.org",
    "+442079460018",
    "https://network.example/in/ada",
    "bob@example.com",
  ];
  await add(user, values, { reason: '=says "no", twice' });
  await add(user, ["bob@example.com"], { hashOnly: true });
  const { body, headers } = succeeded(await user.get(`${api}/export`, { query: { scope: "user" } }));
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const [header, ...lines] = String(body).trim().split("\r\n");
  expect(header).toBe("value,kind,scope,reason,source,createdAt");
  expect(lines.map((line) => line.split(",").slice(0, 2))).toEqual([
    [expect.stringMatching(/^sha256:email:[0-9a-f]{32}$/), "email"],
    ["https://network.example/in/ada", "profile"],
    ["+442079460018", "phone"],
    ["example.org", "domain"],
    ["'=ada@example.com", "email"], // no formula to a spreadsheet
  ]);
  expect(succeeded(await importText(other, String(body))).data).toMatchObject({ rows: 5, added: 5, invalid: 0 });
  const view = async (client: Client) =>
    (await list(client)).suppressions.map(({ hash, value, reason }) => `${hash} ${value} ${reason}`).toSorted();
  expect(await view(other)).toEqual(await view(user));
  expect(await other.post("/api/v2/leads", { email: "bob@example.com" })).toMatchObject({ status: 409 });
});

test("numbers without a country code are those of --phone-region", async () => {
  await using german = await startService({ settings: { PHONE_REGION: "de" } });
  const id = await addOne(german.admin, "030 1234567");
  expect((await german.admin.get<SuppressionView>(`${api}/${id}`)).data.value).toBe("+49301234567");
  for (const phone of ["(030) 1234567", "+49 30 1234567", "0049 30 1234567"])
    expect(await german.admin.post("/api/v2/leads", { email: "a@b.example", phone })).toMatchObject({ status: 409 });
});

test("entries hold after a restart", async () => {
  await using own = await startService();
  const id = await addOne(own.admin, "ada@example.com");
  await own.restart();
  expect(await own.admin.post("/api/v2/leads", { email: "ada@example.com" })).toMatchObject({ status: 409 });
  succeeded(await own.admin.delete(`${api}/${id}`));
  succeeded(await own.admin.post("/api/v2/leads", { email: "ada@example.com" }));
});

test("a list may come in the charset that its content type names", async () => {
  const user = await service.user();
  const send = (type: string) =>
    user.post<SuppressionImport>(
      `${api}/import`,
      new Uint8Array(Buffer.from("email;reason\na@x.com;G\u00fcnter", "latin1")),
      {
        headers: { "content-type": type },
      },
    );
  expect(succeeded(await send("text/csv; charset=iso-8859-1")).data).toMatchObject({ added: 1 });
  const { data } = succeeded(await user.get<{ suppressions: { reason: string }[] }>(api));
  expect(data.suppressions).toMatchObject([{ reason: "G\u00fcnter" }]);
  expect((await send("text/csv; charset=x")).status).toBe(415);
});
