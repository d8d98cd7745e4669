import { afterAll, expect } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { textRows, workbookFile } from "../support/workbooks.ts";

afterAll(closeBrowser);

testInBrowser("imports a sheet of an Excel workbook, and exports one", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openSignedIn(server, "/app/leads/import");
  const { page, problems } = opened;
  const file = workbookFile({
    sheets: [
      { name: "Cover", rows: textRows([["Customers of 2026"], ["Company", "Place"], ["Acme", "Berlin"]]) },
      { name: "People", rows: textRows([["Email", "Vorname"], ["ada@example.com", "Ada"]]) }, // prettier-ignore
    ],
  });
  const mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  await page
    .getByLabel("Drop a file here or select one")
    .setInputFiles({ name: "customers.xlsx", mimeType, buffer: Buffer.from(file) });
  await page.getByText("do not identify a person").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByLabel("Sheet").selectOption("People");
  await page.getByRole("cell", { name: "ada@example.com" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Imported 1 row").waitFor();
  await page.getByRole("link", { name: "View leads" }).click();
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Excel workbook" }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe("leads.xlsx");
  const parts = unzipSync(await Bun.file(await saved.path()).bytes());
  expect(strFromU8(parts["xl/worksheets/sheet1.xml"]!)).toContain("ada@example.com");
  expect(problems).toEqual([]);
});
