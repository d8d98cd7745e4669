import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

const people = [
  "firstName,lastName,title,company,email,networkUrl",
  "Ada,Byron,CTO,Acme,ada@acme.example,https://www.linkedin.com/in/ada-byron",
  "Grace,<b>Hopper</b>,Engineer,Navy,grace@navy.example,https://www.linkedin.com/in/grace-hopper",
].join("\n");

testInBrowser("imports and filters prospects, adds one to leads, and enriches it", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openSignedIn(server, "/app/prospects");
  const { page, problems } = opened;

  await page.getByRole("button", { name: "Import prospects" }).first().click();
  await page
    .getByLabel("Drop a file of people or companies")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(people) });
  await page.getByText("2 prospects added").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("2 matching prospects.").waitFor();
  await page.getByRole("list", { name: "Job title" }).getByLabel("CTO").check();
  await page.getByText("1 matching prospect.").waitFor();
  expect(page.url()).toContain("filters=");
  await page.getByRole("button", { name: "Add to leads: Ada Byron" }).click();
  await page.getByRole("link", { name: "View lead" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Saved searches" }).click();
  await page.getByLabel("Save current search as").fill("CTOs");
  await page.getByRole("button", { name: "Save search" }).click();
  await page.getByRole("button", { name: "CTOs", exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);

  await page.goto(`${server.url}/app/enrichment`);
  await page.getByLabel("Email").first().fill("grace@navy.example");
  await page.getByRole("button", { name: "Check cost" }).click();
  await page.getByRole("heading", { name: "Up to 1 credit" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Enrich for up to 1 credit" }).click();
  await page.getByRole("row", { name: /Job title Engineer/ }).waitFor();
  expect(await findings(page)).toEqual([]);

  await page.goto(`${server.url}/app/settings?part=providers`);
  await page.getByRole("button", { name: "Test local" }).click();
  await page.getByLabel("Email").fill("grace@navy.example");
  await page.getByRole("button", { name: "Run test" }).click();
  await page.getByText("The provider works").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});
