import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

const companies = ["Acme Works", "Bakery Nord", "Öko Energie"];

/** 150 people in three companies. */
function people(): { prospects: object[] } {
  return {
    prospects: Array.from({ length: 150 }, (_, n) => ({
      name: `Person ${n}`,
      network_url: `https://network.example/in/person-${n}`,
      company: companies[n % 3],
      title: n % 2 === 0 ? "Head of Sales" : "Buyer",
    })),
  };
}

testInBrowser("narrows leads by suggestions, with the keyboard, and changes all that match", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "POST", "/network/upload-prospects", people());
  await using opened = await openSignedIn(server, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("150 leads").waitFor();

  await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
  await page.getByRole("search").getByRole("button", { name: "Company", exact: true }).press("Enter");
  const heightOfChip = async () => (await page.locator(".filter-chip").boundingBox())?.height;
  const emptyHeight = await heightOfChip();
  await page.keyboard.type("öko");
  await page.getByRole("option", { name: "Öko Energie" }).waitFor();
  // All of them were suggested before.
  await page.getByRole("option", { name: "Bakery Nord" }).waitFor({ state: "detached" });
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("50 leads found").waitFor();
  // A filter without a value is a line, too: the list below stays where it is.
  expect(emptyHeight).toBe(await heightOfChip());
  await page.keyboard.type("work");
  await page.getByRole("option", { name: "Contains “work”" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("100 leads found").waitFor();
  await page.keyboard.press("Escape");
  expect(new URL(page.url()).searchParams.getAll("companyContains")).toEqual(["Öko Energie", "work"]);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/filters.png` });

  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 100" }).click();
  await page.getByText("All 100 selected").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Add tag" }).click();
  await page.getByLabel("Tag", { exact: true }).fill("energy");
  await page.getByRole("dialog").getByRole("button", { name: "Add tag" }).click();
  await page.getByText("Changed 100 leads.").waitFor();
  await page.getByRole("cell", { name: "energy" }).first().waitFor();

  await page
    .getByRole("link", { name: "Next page" })
    .or(page.getByRole("button", { name: "Next page" }))
    .click();
  await page.getByText("51–100 of 100").waitFor();
  await page
    .getByRole("link", { name: /^Person/ })
    .last()
    .click();
  // The menu has a link of this name, too, which opens the whole list.
  await page.locator("a.back").click();
  await page.getByText("51–100 of 100").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

testInBrowser("more than 100 leads are deleted only by who types their number", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "POST", "/network/upload-prospects", people());
  await using opened = await openSignedIn(server, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("150 leads").waitFor();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Select all 150" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Delete 150 leads" }).isDisabled()).toBe(true);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/delete.png` });
  await dialog.getByLabel("Type 150 to confirm").fill("150");
  await dialog.getByRole("button", { name: "Delete 150 leads" }).click();
  await page.getByText("Deleted 150 leads.").waitFor();
  await page.getByText("No leads yet").waitFor();
  expect(problems).toEqual([]);
});
