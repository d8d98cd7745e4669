import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import type { ImportPreview } from "../../src/features/leads/import/preview-model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "../support/client.ts";
import { importFile, leadsOf, send } from "../support/lead-import-api.ts";
import { startService, succeeded } from "../support/service.ts";
import { peopleWorkbook, textRows, workbookFile } from "../support/workbooks.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const two = workbookFile({
  sheets: [
    { name: "Cover", rows: textRows([["Our customers"]]) },
    { name: "People", rows: textRows([["Email", "Vorname", "Seit"], ["ada@example.com", "Ada", "x"]]) },
  ],
}); // prettier-ignore

test("a workbook is imported by its content type, or recognized by its content", async () => {
  for (const contentType of [type, "application/octet-stream", "application/vnd.ms-excel"]) {
    const user = await service.user();
    const file = peopleWorkbook([["Email", "First Name"], ["ada@example.com", "Ada"], ["nobody", "Bob"]]); // prettier-ignore
    expect(await importFile(service, user, file, {}, contentType)).toMatchObject({
      status: "completed",
      metadata: { rows: 2, created: 1, failed: 1, sheet: "People", columns: { Email: "email" } },
    });
    expect(await leadsOf(user)).toMatchObject([{ email: "ada@example.com", firstName: "Ada" }]);
  }
});

test("a sheet is selected by its name, for leads and prospects", async () => {
  const user = await service.user();
  expect(await importFile(service, user, two, { sheet: "People" }, type)).toMatchObject({
    metadata: { created: 1, sheet: "People" },
  });
  const headers = { "content-type": type };
  const query = { sheet: "2" };
  const { data } = succeeded(await user.post<JobView>("/api/v2/prospecting/import", two, { query, headers }));
  expect(await service.ended(user, data.id)).toMatchObject({
    status: "completed",
    metadata: { created: 1, sheet: "People", columns: { Email: "email" } },
  });
});

test("a sheet without people fails and names the others", async () => {
  const user = await service.user();
  expect(await importFile(service, user, two, {}, type)).toMatchObject({
    status: "failed",
    message: expect.stringContaining('Only the sheet "Cover" was read.'),
    metadata: { reason: "noColumns", sheets: ["Cover", "People"] },
  });
});

test("a workbook is previewed as a whole, even if it is larger than the beginning of a text", async () => {
  const user = await service.user();
  const random = Array.from({ length: 6000 }, (_, at) => [`p${at}@example.com`, `${Math.sin(at)}${Math.cos(at)}`]);
  const file = peopleWorkbook([["Email", "Code"], ...random]);
  expect(file.length).toBeGreaterThan(150_000);
  const headers = { "content-type": type };
  const preview = await user.post<ImportPreview>("/api/v2/leads/import/preview", file, { headers });
  expect(succeeded(preview).data).toMatchObject({
    ...{ problem: null, format: "xlsx", sheet: "People", sheets: ["People"], encoding: null, delimiter: null },
    rows: [{ row: 2, lead: { email: "p0@example.com" } }, {}, {}, {}, {}],
  });
});

test("four previews of a workspace can be in progress, in the data directory; others wait for them", async () => {
  const user = await service.user();
  const url = `${service.url}/api/v2/leads/import/preview`;
  const headers = { "x-api-key": user.key ?? "", "content-type": type };
  const uploads = Array.from({ length: 4 }, () => {
    const upload = request(url, { method: "POST", headers });
    upload.on("error", () => {});
    upload.write(two.subarray(0, 100));
    return upload;
  });
  const requestFiles = () => readdir(join(service.dataDir, "scratch/requests")).catch(() => []);
  while ((await requestFiles()).length < 4) await Bun.sleep(10);
  const preview = (of: Client) =>
    of.post<ImportPreview>("/api/v2/leads/import/preview", two, { headers: { "content-type": type } });
  const refused = await preview(user);
  expect(refused).toMatchObject({ status: 429, code: "RATE_LIMIT_EXCEEDED", details: { limit: 4 } });
  expect(refused.headers.get("retry-after")).toBe("10");
  expect((await preview(await service.user())).status).toBe(200);
  for (const upload of uploads) upload.destroy();
  while ((await requestFiles()).length > 0) await Bun.sleep(10);
  expect((await preview(user)).status).toBe(200);
});

test("the preview of a sheet without people lists the others, and the preview of an unknown sheet names the parameter", async () => {
  const user = await service.user();
  const headers = { "content-type": type };
  const preview = await user.post<ImportPreview>("/api/v2/leads/import/preview", two, { headers });
  expect(succeeded(preview).data).toMatchObject({ format: "xlsx", sheet: "Cover", sheets: ["Cover", "People"] });
  expect(await user.post("/api/v2/leads/import/preview", two, { headers, query: { sheet: "Kunden" } })).toMatchObject({
    status: 400,
    details: { errors: [{ path: "sheet", message: expect.stringContaining("It has: Cover, People.") }] },
  });
});

test("a text is still previewed by its beginning only", async () => {
  const user = await service.user();
  const text = `email\n${"a@example.com\n".repeat(20_000)}`;
  const headers = { "content-type": "text/csv" };
  expect(await user.post("/api/v2/leads/import/preview", text, { headers })).toMatchObject({ status: 413 });
});

test("an archive made to exhaust memory fails with the limit", async () => {
  const user = await service.user();
  const rows = textRows([["Email"]]) + `<row><c><v>${"1".repeat(200_000)}</v></c></row>`.repeat(150);
  const { data } = succeeded(await send(user, workbookFile({ sheets: [{ name: "One", rows }] }), {}, type));
  expect(await service.ended(user, data.id)).toMatchObject({
    status: "failed",
    message:
      "The workbook unpacks to more than 200 times its size, which is the limit. Save the sheet as CSV (UTF-8), then send that.",
    metadata: { reason: "tooLarge" },
  });
});
