import { afterAll, expect, test } from "bun:test";
import type { SuppressionImport, SuppressionView } from "../../src/features/suppression/model.ts";
import type { Client, SendOptions } from "../support/client.ts";
import { startService, succeeded } from "../support/service.ts";
import { textRows, workbookFile } from "../support/workbooks.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const api = "/api/v2/suppressions";
const excel = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

function importWorkbook(client: Client, file: Uint8Array, query: SendOptions["query"] = {}, type = excel) {
  return client.post<SuppressionImport>(`${api}/import`, file, { headers: { "content-type": type }, query });
}

async function listed(client: Client): Promise<[string | null, string | null][]> {
  const { suppressions } = succeeded(await client.get<{ suppressions: SuppressionView[] }>(api)).data;
  return suppressions
    .map(({ value, reason }): [string | null, string | null] => [value, reason])
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
}

const lists = workbookFile({
  sheets: [
    { name: "Asked", rows: textRows([["E-Mail", "Grund"], ["ada@example.com", "asked; twice"], ["", ""], ["no value at all", ""]]) },
    { name: "Domains", rows: textRows([["@example.org"], ["=evil"], ["+442079460018"]]) },
  ],
}); // prettier-ignore

test("a do-not-contact list is imported from a workbook like CSV, by its content type or its content", async () => {
  for (const type of [excel, "application/octet-stream", "application/vnd.ms-excel", "text/csv"]) {
    const user = await service.user();
    expect(succeeded(await importWorkbook(user, lists, {}, type)).data).toMatchObject({
      ...{ rows: 2, added: 1, invalid: 1 },
      problems: [{ row: 4, value: "no value at all" }],
    });
    expect(await listed(user)).toEqual([["ada@example.com", "asked; twice"]]);
  }
});

test("a sheet is selected by its name or number, and may have no header", async () => {
  const user = await service.user();
  expect(succeeded(await importWorkbook(user, lists, { sheet: "2" })).data).toMatchObject({ added: 2, invalid: 1 });
  expect(await listed(user)).toEqual([
    ["+442079460018", null],
    ["example.org", null],
  ]);
  expect(await importWorkbook(user, lists, { sheet: "People" })).toMatchObject({
    status: 400,
    details: { errors: [{ path: "sheet", message: expect.stringContaining("It has: Asked, Domains.") }] },
  });
});

test("an archive that is no workbook is refused, and so is an empty sheet", async () => {
  const user = await service.user();
  const archive = workbookFile({ sheets: [], parts: { "xl/workbook.xml": null } });
  expect(await importWorkbook(user, archive)).toMatchObject({ status: 400, code: "INVALID_FILE_FORMAT" });
  const empty = workbookFile({ sheets: [{ name: "Empty", rows: "" }] });
  expect(await importWorkbook(user, empty)).toMatchObject({ status: 400 });
  // Not an archive, although it starts like one.
  expect(succeeded(await importWorkbook(user, Buffer.from("PKowalski@example.com\n"), {}, "text/csv")).data.added).toBe(
    1,
  );
});

test("an export as a workbook is taken back by an import as it is, hashes too", async () => {
  const user = await service.user();
  const values = ["ada@example.com", "@example.org", "+442079460018"];
  succeeded(await user.post(api, { values, reason: "=asked" }));
  succeeded(await user.post(api, { values: ["hidden@example.com"], hashOnly: true }));
  const response = await fetch(`${service.url}${api}/export?format=xlsx`, { headers: { "x-api-key": user.key ?? "" } });
  expect([response.status, response.headers.get("content-type"), response.headers.get("content-disposition")]).toEqual([
    200,
    excel,
    'attachment; filename="do-not-contact.xlsx"',
  ]);
  const other = await service.user();
  const file = new Uint8Array(await response.arrayBuffer());
  expect(succeeded(await importWorkbook(other, file)).data).toMatchObject({ rows: 4, added: 4, invalid: 0 });
  expect(await listed(other)).toEqual(await listed(user));
});

test("many rows are all stored", async () => {
  const user = await service.user();
  const rows = Array.from({ length: 5000 }, (_, n) => [`p${n}@example.com`]);
  const file = workbookFile({ sheets: [{ name: "All", rows: textRows([["Email"], ...rows]) }] });
  expect(succeeded(await importWorkbook(user, file)).data).toMatchObject({ rows: 5000, added: 5000, invalid: 0 });
});
