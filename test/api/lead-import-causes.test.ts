import { afterAll, expect, test } from "bun:test";
import type { ImportCause } from "../../src/features/leads/import/cause-model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const base = "/api/v2/leads/import";

async function imported(
  client: Client,
  body: string | Uint8Array,
  query: Record<string, string> = {},
): Promise<JobView> {
  const headers = { "content-type": "text/csv" };
  const job = succeeded(await client.post<JobView>(base, body, { headers, query })).data;
  await service.ended(client, job.id);
  return job;
}

async function failedRows(client: Client, jobId: string, body: string | Uint8Array) {
  const response = await fetch(`${service.url}${base}/${jobId}/failed-rows`, {
    method: "POST",
    headers: { "x-api-key": client.key ?? "", "content-type": "text/csv" },
    body: Buffer.from(body),
  });
  return { status: response.status, text: await response.text() };
}

const file = [
  "Name;E-Mail;Firma;Lieblingsfarbe",
  "Ada Lovelace;ada@example.com;Engines;blue",
  'Grace Hopper;no address;"Navy; US";=red',
  "Alan Turing;also none;Bletchley;",
  "Ada Lovelace;ada@example.com;Engines;blue",
  "",
].join("\r\n");

test("causes have counts, the first rows, and the names of leads that are known already", async () => {
  const user = await service.user();
  const { id } = await imported(user, file);
  const { causes } = succeeded(await user.get<{ causes: ImportCause[] }>(`${base}/${id}/causes`)).data;
  expect(causes).toMatchObject([
    { outcome: "failed", path: "email", message: "… is not an email address.", rows: 2 },
    { outcome: "skipped", path: "", message: "Already a lead.", rows: 1 },
  ]);
  expect(causes[0]?.samples.map(({ row, detail }) => [row, detail])).toEqual([
    [3, '"no address" is not an email address.'],
    [4, '"also none" is not an email address.'],
  ]);
  expect(causes[1]?.samples).toMatchObject([{ row: 5, name: "Ada Lovelace" }]);
  const stranger = await service.user();
  expect((await stranger.get(`${base}/${id}/causes`)).status).toBe(404);
});

test("failed rows come back as they were, with the reason, and can be fixed and imported", async () => {
  const user = await service.user();
  const { id } = await imported(user, file);
  const { status, text } = await failedRows(user, id, file);
  expect(status).toBe(200);
  expect(text.split("\r\n")).toEqual([
    "Name,E-Mail,Firma,Lieblingsfarbe,Import problem",
    'Grace Hopper,no address,Navy; US,\'=red,"email: ""no address"" is not an email address."',
    'Alan Turing,also none,Bletchley,,"email: ""also none"" is not an email address."',
    "",
  ]);
  const again = await imported(
    user,
    text.replace("no address", "grace@example.com").replace("also none", "alan@example.com"),
  );
  const { leads } = succeeded(
    await user.get<{ leads: { email: string; customFields: object }[] }>("/api/v2/leads"),
  ).data;
  expect(again.id).not.toBe(id);
  expect(leads.map(({ email }) => email).toSorted()).toEqual([
    "ada@example.com",
    "alan@example.com",
    "grace@example.com",
  ]);
  expect(leads.find(({ email }) => email === "grace@example.com")?.customFields).toEqual({ Lieblingsfarbe: "=red" });
});

test("failed rows are kept as a file for a week, of dry runs too, until a person is erased", async () => {
  const user = await service.user();
  const { id } = await imported(user, file, { dryRun: "true" });
  const kept = () => fetch(`${service.url}${base}/${id}/failed-rows`, { headers: { "x-api-key": user.key ?? "" } });
  const response = await kept();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  expect(await response.text()).toBe((await failedRows(user, id, file)).text);
  const stranger = await service.user();
  expect((await stranger.get(`${base}/${id}/failed-rows`)).status).toBe(404);
  const { id: fine } = await imported(user, "Email\nann@example.com\n");
  expect(await user.get(`${base}/${fine}/failed-rows`)).toMatchObject({ status: 409, code: "CONFLICT" });
  const others = await service.user();
  const { id: other } = await imported(others, file);
  const erased = await user.post<{ jobId: string }>("/api/v2/privacy/erase", {
    email: "grace@example.com",
    dryRun: false,
  });
  await service.ended(user, erased.data.jobId);
  expect((await kept()).status).toBe(409);
  expect((await others.get(`${base}/${other}/failed-rows`)).status).toBe(200);
});

test("a large file in another encoding is read in the encoding that the import found", async () => {
  const user = await service.user();
  const people = Array.from(
    { length: 4000 },
    (_, n) => `J\u00fcrgen ${n},${n % 1000 === 7 ? "kaputt" : `j${n}@example.com`},M\u00fcnchen`,
  );
  const latin1 = Buffer.from(["Name,Email,Ort", ...people].join("\n"), "latin1");
  const { id } = await imported(user, latin1);
  const lines = (await failedRows(user, id, latin1)).text.trim().split("\r\n");
  expect(lines.slice(1).map((line) => line.split(",").slice(0, 3))).toEqual(
    [7, 1007, 2007, 3007].map((n) => [`J\u00fcrgen ${n}`, "kaputt", "M\u00fcnchen"]),
  );
});

test("another file is refused, and so is none", async () => {
  const user = await service.user();
  const { id } = await imported(user, file);
  for (const other of ["Name,Email\nAda,ada@example.com\n", "nothing"])
    expect((await failedRows(user, id, other)).status).toBe(409);
  expect((await failedRows(user, "unknown", file)).status).toBe(404);
});
