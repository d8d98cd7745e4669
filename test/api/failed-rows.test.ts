import { afterAll, expect, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { importFile, leadsOf } from "../support/lead-import-api.ts";
import { startService } from "../support/service.ts";
import { textRows, workbookFile } from "../support/workbooks.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const base = "/api/v2/leads/import";
const workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const ndjson = "application/x-ndjson";

/** The file of failed rows: as it is kept, or made of the imported file. */
async function failedRows(client: Client, jobId: string, sent?: string | Uint8Array) {
  const response = await fetch(`${service.url}${base}/${jobId}/failed-rows`, {
    headers: { "x-api-key": client.key ?? "", "content-type": "application/octet-stream" },
    ...(sent !== undefined && { method: "POST", body: Buffer.from(sent) }),
  });
  const { status, headers } = response;
  const name = /filename="(.+)"/.exec(headers.get("content-disposition") ?? "")?.[1];
  return { status, name, type: headers.get("content-type"), text: await response.text() };
}

const people = [
  ["Our customers"],
  ["Name", "E-Mail", "Firma", "Telefon"],
  ["Ada Lovelace", "ada@example.com", "Engines", "0151 1"],
  ["Grace Hopper", "no address", "Navy; US", "0049151234560"],
  [],
  ["Alan Turing", "also none", "Bletchley\n\"Park\"", "=1+1"],
]; // prettier-ignore
const sheets = workbookFile({
  sheets: [
    { name: "Cover", rows: textRows([["Nothing"]]) },
    { name: "People", rows: textRows(people) },
  ],
});

test("failed rows of a sheet are a CSV file with its columns, which can be fixed and imported", async () => {
  const user = await service.user();
  const job = await importFile(service, user, sheets, { sheet: "People" }, workbook);
  expect(job).toMatchObject({ status: "completed", metadata: { created: 1, failed: 2, sheet: "People" } });
  const kept = await failedRows(user, job.id);
  expect(kept).toEqual({
    ...{ status: 200, name: "failed-rows.csv", type: "text/csv; charset=utf-8" },
    text: [
      "Name,E-Mail,Firma,Telefon,Import problem",
      'Grace Hopper,no address,Navy; US,0049151234560,"email: ""no address"" is not an email address."',
      'Alan Turing,also none,"Bletchley\n""Park""",\'=1+1,"email: ""also none"" is not an email address."',
      "",
    ].join("\r\n"),
  });
  expect(await failedRows(user, job.id, sheets)).toEqual(kept);
  const fixed = kept.text.replace("no address", "grace@example.com").replace("also none", "alan@example.com");
  expect(await importFile(service, user, fixed, {}, "text/csv")).toMatchObject({ metadata: { created: 2, failed: 0 } });
  expect((await leadsOf(user)).map(({ email, customFields }) => [email, customFields])).toEqual([
    ["ada@example.com", {}],
    ["alan@example.com", {}],
    ["grace@example.com", {}],
  ]);
});

test("another workbook, or a text, is not the file of the import of a sheet", async () => {
  const user = await service.user();
  const { id } = await importFile(service, user, sheets, { sheet: "2" }, workbook);
  const other = workbookFile({ sheets: [{ name: "People", rows: textRows([["Email"], ["a@example.com"]]) }] });
  const hasNoSheet = workbookFile({ sheets: [{ name: "Leads", rows: textRows(people) }] });
  for (const file of [other, hasNoSheet, "Name,E-Mail,Firma,Telefon\n"])
    expect((await failedRows(user, id, file)).status).toBe(409);
  expect((await failedRows(user, id, sheets)).status).toBe(200);
});

const lines = [
  '{"firstName":"Ada","email":"ada@example.com"}',
  '{"firstName":"Grace","email":"no address","tags":["navy"],"customFields":{"rank":7},"Import problem":"old"}',
  "",
  '{"firstName":"Alan","email":"alan@example.com"',
  '{"firstName":"Edsger","email":5}',
  '["Barbara"]',
].join("\n");

const noIdentifier = "A lead needs an identifier: an email, a networkUrl, or firstName, lastName and company together.";

test("failed rows of NDJSON are NDJSON with the reason, which can be fixed and imported", async () => {
  const user = await service.user();
  for (const type of [ndjson, "application/octet-stream"]) {
    const job = await importFile(service, user, lines, { onDuplicate: "update" }, type);
    expect(job).toMatchObject({ status: "completed", metadata: { failed: 4, format: "ndjson" } });
    const kept = await failedRows(user, job.id);
    expect(kept).toMatchObject({ status: 200, name: "failed-rows.ndjson", type: ndjson });
    const rows = kept.text.trimEnd().split("\n");
    expect(rows).toEqual([
      '{"firstName":"Grace","email":"no address","tags":["navy"],"customFields":{"rank":7},"Import problem":"email: \\"no address\\" is not an email address."}',
      expect.stringMatching(/^\{"Import problem":"Line 4: The line is not JSON: .+"\}$/),
      '{"firstName":"Alan","email":"alan@example.com"',
      `{"firstName":"Edsger","email":5,"Import problem":"email: Expected a string, got a number. ${noIdentifier}"}`,
      '{"Import problem":"Line 6: Expected a JSON object on each line."}',
      '["Barbara"]',
    ]);
    expect(await failedRows(user, job.id, lines)).toEqual(kept);
  }
  const { text } = await failedRows(user, (await importFile(service, user, lines, {}, ndjson)).id);
  const fixed = text
    .replace("no address", "grace@example.com")
    .replace('"alan@example.com"', '"alan@example.com"}')
    .replace('"email":5', '"email":"edsger@example.com"')
    .replace('["Barbara"]', '{"firstName":"Barbara","email":"barbara@example.com"}');
  expect(await importFile(service, user, fixed, {}, ndjson)).toMatchObject({
    metadata: { rows: 4, created: 4, failed: 0 },
  });
  const leads = await leadsOf(user);
  expect(leads.map(({ firstName }) => firstName)).toEqual(["Ada", "Alan", "Barbara", "Edsger", "Grace"]);
  expect(leads.at(-1)).toMatchObject({ tags: ["navy"], customFields: { rank: 7 } });
});

test("another file is not that of an import of NDJSON", async () => {
  const user = await service.user();
  const { id } = await importFile(service, user, lines, {}, ndjson);
  const other = lines.replaceAll("firstName", "color").replaceAll("email", "size").replaceAll("tags", "marks");
  expect((await failedRows(user, id, other.replaceAll("customFields", "fields"))).status).toBe(409);
});
