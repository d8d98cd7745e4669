import { afterAll, expect } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("the page of a lead shows its campaigns, edits custom fields, and merges a duplicate", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const lead = await callApi<LeadView>(server, "POST", "/leads", {
    ...{ firstName: "Ada", lastName: "Lovelace", networkUrl: "https://network.example/in/ada" },
    customFields: { size: 50, note: "x" },
  });
  const other = await callApi<LeadView>(server, "POST", "/leads", {
    firstName: "Ada",
    lastName: "L.",
    email: "ada@example.com",
  });
  await callApi(server, "POST", "/network/accounts", { name: "Main" });
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const campaign = await callApi<{ id: string }>(server, "POST", "/campaigns", { name: "Spring", steps });
  await callApi(server, "POST", `/campaigns/${campaign.id}/enroll`, { leadIds: [lead.id] });
  await using opened = await openSignedIn(server, `/app/leads/${lead.id}`);
  const { page, problems } = opened;
  await page.getByRole("link", { name: "Spring" }).waitFor();
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/lead.png` });
  expect(await findings(page)).toEqual([]);

  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Value of note").fill("hello");
  await page.getByRole("button", { name: "Add field" }).click();
  await page.getByLabel("Name of field 3").fill("team");
  await page.getByLabel("Value of team").fill("blue");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("blue").waitFor();
  const saved = await callApi<LeadView>(server, "GET", `/leads/${lead.id}`);
  expect(saved.customFields).toEqual({ size: 50, note: "hello", team: "blue" });

  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Merge with another lead…" }).click();
  await page.getByLabel("Other lead").fill("ada l.");
  await page.getByRole("button", { name: "Ada L.", exact: true }).click();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await page.getByRole("link", { name: "ada@example.com" }).waitFor();

  // An old link leads to the lead that is left.
  await page.goto(`${server.url}/app/leads/${other.id}`);
  await page.waitForURL(`${server.url}/app/leads/${lead.id}`);
  await page.getByText("blue").waitFor();
  expect(problems).toEqual([]);
});
