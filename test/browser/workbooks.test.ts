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

testInBrowser("imports a sheet of an Excel workbook as prospects", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openSignedIn(server, "/app/prospects");
  const { page, problems } = opened;
  const people = textRows([["Name", "Profile"], ["Grace Hopper", "https://network.example/in/grace"]]); // prettier-ignore
  const file = workbookFile({
    sheets: [
      { name: "Cover", rows: textRows([["Customers of 2026"], ["As of March"]]) },
      { name: "People", rows: people },
    ],
  });
  const mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  const choose = async (name: string, buffer: Uint8Array) => {
    await page.getByRole("button", { name: "Import" }).first().click();
    const input = page.getByRole("dialog").getByLabel("Drop a file of people or companies");
    await input.setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) });
  };
  await choose("customers.xlsx", file);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("customers.xlsx has several sheets.").waitFor();
  expect(await findings(page)).toEqual([]);
  await dialog.getByLabel("Sheet").selectOption("People");
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText("1 prospect added").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText("Grace Hopper").waitFor();

  // There is nothing to choose from a single sheet.
  await choose("people.xlsx", workbookFile({ sheets: [{ name: "People", rows: people }] }));
  await dialog.getByText(/^0 prospects added, (1 updated, 0|0 updated, 1) skipped, 0 failed\.$/).waitFor();
  expect(problems).toEqual([]);
});
