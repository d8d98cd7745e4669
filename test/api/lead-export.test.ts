import { afterAll, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import Papa from "papaparse";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadUpdate, LeadView } from "../../src/features/leads/model.ts";
import type { Client, SendOptions } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

async function exported(client: Client, query: SendOptions["query"] = {}) {
  const { body, headers, status } = succeeded(await client.get("/api/v2/leads/export", { query }));
  return { text: String(body), headers, status };
}

const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

async function exportedWorkbook(client: Client, query = "?format=xlsx", headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/api/v2/leads/export${query}`, {
    headers: { authorization: `Bearer ${client.key}`, ...headers },
  });
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
}

async function importText(client: Client, text: string | Uint8Array, type: string): Promise<JobView> {
  const { data } = succeeded(
    await client.post<JobView>("/api/v2/leads/import", text, {
      query: { onDuplicate: "create" },
      headers: { "content-type": type },
    }),
  );
  return service.ended(client, data.id);
}

async function contents(client: Client): Promise<object[]> {
  const { data } = await client.get<{ leads: LeadView[] }>("/api/v2/leads", { query: { limit: 100, sort: "email" } });
  return data.leads.map(({ id: _id, createdAt: _created, updatedAt: _updated, ...content }) => content);
}

/** Stores leads with all that makes files hard to write, one text each. */
async function storeHardLeads(client: Client): Promise<void> {
  const texts = [
    'says "hello", twice',
    "a, b; c\td|e",
    "=1+1",
    "+49 30 1234",
    "-5",
    "@handle",
    "'quoted",
    "'=1+1",
    "''+2",
    "＝1+1",
    "株式会社 😀",
    "<script>alert(1)</script>",
    "null",
    "[1,2]",
    '{"a":1}',
    "sep=;",
    "#REF!",
    "\\N \\\\ \\n",
    "%00 %0a",
  ];
  const inputs = texts.map((text, index): LeadUpdate => ({
    email: `${String(index).padStart(2, "0")}@example.com`,
    firstName: text,
    company: text,
    notes: `${text}\nsecond line\n\n"third"`,
    tags: [text, "plain"],
    customFields: { text, [text]: index, list: [text, null, true, { a: text }] },
    status: (["new", "contacted", "qualified", "converted", "unqualified"] as const)[index % 5],
  }));
  for (const { status, ...input } of inputs) {
    const { data } = succeeded(await client.post<LeadView>("/api/v2/leads", input));
    succeeded(await client.put(`/api/v2/leads/${data.id}`, { status }));
  }
}

test.each([
  ["csv", "text/csv"],
  ["ndjson", "application/x-ndjson"],
])("what is exported as %s is imported as it was, whatever is in it", async (format, type) => {
  const owner = await service.user();
  const other = await service.user();
  await storeHardLeads(owner);
  const { text } = await exported(owner, { format });
  expect(await importText(other, text, type)).toMatchObject({
    status: "completed",
    metadata: { created: 19, failed: 0 },
  });
  expect(await contents(other)).toEqual(await contents(owner));
  expect((await exported(other, { format })).text.length).toBe(text.length);
});

test("what is exported as a workbook is imported as it was, whatever is in it", async () => {
  const owner = await service.user();
  const other = await service.user();
  await storeHardLeads(owner);
  const { bytes, headers } = await exportedWorkbook(owner);
  expect(headers.get("content-type")).toBe(workbookType);
  expect(headers.get("content-disposition")).toBe('attachment; filename="leads.xlsx"');
  expect(await importText(other, bytes, workbookType)).toMatchObject({
    status: "completed",
    metadata: { created: 19, failed: 0, sheet: "Leads" },
  });
  expect(await contents(other)).toEqual(await contents(owner));
});

test("a workbook has its times as dates, and no formula", async () => {
  const user = await service.user();
  await user.post("/api/v2/leads", { email: "ada@example.com", firstName: "=1+1" });
  const sheet = strFromU8(unzipSync((await exportedWorkbook(user)).bytes)["xl/worksheets/sheet1.xml"]!);
  expect(sheet).toContain("<t>=1+1</t>");
  expect(sheet).not.toContain("<f>");
  expect(sheet.match(/<c r="\w+2" s="2"><v>[\d.]+<\/v>/g)).toHaveLength(2);
});

test("the Accept header selects a format, and the parameter takes precedence", async () => {
  const user = await service.user();
  const typeFor = async (accept: string, query = "") =>
    (await exportedWorkbook(user, query, { accept })).headers.get("content-type");
  expect(await typeFor(`${workbookType};q=1, */*`)).toBe(workbookType);
  expect(await typeFor("application/x-ndjson")).toBe("application/x-ndjson");
  expect(await typeFor("text/html,*/*")).toBe("text/csv; charset=utf-8");
  expect(await typeFor(workbookType, "?format=csv")).toBe("text/csv; charset=utf-8");
});

test("an export is a CSV file to save unless said otherwise", async () => {
  const user = await service.user();
  await user.post("/api/v2/leads", { email: "ada@example.com" });
  const { text, headers } = await exported(user);
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(headers.get("content-disposition")).toBe('attachment; filename="leads.csv"');
  const [header, row, ...rest] = text.split("\r\n");
  expect(header).toBe(
    "firstName,lastName,email,company,title,phone,networkUrl,industry,location,source,notes,status,tags,customFields,id,createdAt,updatedAt,assignedTo",
  );
  expect(row).toMatch(/^,,ada@example\.com,.*,new,,,[0-9a-f-]{36},\d{4}-.*Z,\d{4}-.*Z,$/);
  expect(rest).toEqual([""]);
});

test("an NDJSON export has each lead on a line, as the API shows it", async () => {
  const user = await service.user();
  const leads = [];
  for (const email of ["a@example.com", "b@example.com"])
    leads.push((await user.post<LeadView>("/api/v2/leads", { email })).data);
  const { text, headers } = await exported(user, { format: "ndjson" });
  expect(headers.get("content-type")).toBe("application/x-ndjson");
  expect(headers.get("content-disposition")).toBe('attachment; filename="leads.ndjson"');
  expect(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(leads);
});

test("an export without leads has a header in CSV and nothing in NDJSON", async () => {
  const user = await service.user();
  expect((await exported(user)).text.split("\r\n")).toHaveLength(2);
  expect((await exported(user, { format: "ndjson" })).text).toBe("");
});

test("a spreadsheet finds no formula in an export", async () => {
  const user = await service.user();
  await storeHardLeads(user);
  const { text } = await exported(user);
  const cells: string[] = [];
  new Papa.Parser({ delimiter: ",", newline: "\r\n", step: ({ data }) => cells.push(...data.flat()) }).parse(
    text,
    0,
    false,
  );
  expect(cells).toContain("'=1+1");
  expect(cells.filter((cell) => /^\s*[=+\-@＝＋－＠]/u.test(cell))).toEqual([]);
});

test("an export of several pages has every lead once, oldest first", async () => {
  const user = await service.user();
  const emails = Array.from({ length: 450 }, (_, index) => `x${index}@example.com`);
  await importText(user, `email\n${emails.join("\n")}\n`, "text/csv");
  const { text } = await exported(user, { format: "ndjson" });
  const found = text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as LeadView).email);
  expect(found).toEqual(emails);
});

test("an export is narrowed by the filters of the list", async () => {
  const user = await service.user();
  for (const [email, tags] of [
    ["a@example.com", ["x"]],
    ["b@example.com", ["x", "y"]],
    ["c@example.com", ["y"]],
  ])
    await user.post("/api/v2/leads", { email, tags });
  const emails = async (query: SendOptions["query"]) => {
    const { text } = await exported(user, { ...query, format: "ndjson" });
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as LeadView).email);
  };
  expect(await emails({ tag: "x" })).toEqual(["a@example.com", "b@example.com"]);
  expect(await emails({ q: "c@" })).toEqual(["c@example.com"]);
  expect(await emails({ status: "inactive" })).toEqual([]);
  expect(await emails({ createdAfter: "2100-01-01" })).toEqual([]);
  for (const query of [{ format: "xls" }, { status: "open" }, { createdAfter: "now" }])
    expect(await user.get("/api/v2/leads/export", { query })).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
});

test("an export has nobody else's leads", async () => {
  await (await service.user()).post("/api/v2/leads", { email: "secret@example.com" });
  expect((await exported(await service.user())).text).not.toContain("secret");
});
