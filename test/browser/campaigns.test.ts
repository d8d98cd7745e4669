import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

testInBrowser("creates, previews, fills, starts, and pauses a campaign", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const headers = { "x-api-key": server.firstRun?.key ?? "", "content-type": "application/json" };
  const lead = (firstName: string, more: object) =>
    fetch(`${server.url}/api/v2/leads`, {
      method: "POST",
      headers,
      body: JSON.stringify({ firstName, lastName: "<i>Byron</i>", company: "Acme", tags: ["spring"], ...more }),
    });
  await lead("Ada", { networkUrl: "https://www.linkedin.com/in/ada-byron" });
  await lead("Nobody", {});
  await using opened = await openSignedIn(server, "/app/campaigns");
  const { page, problems } = opened;

  await page.getByRole("link", { name: "Create campaign" }).click();
  await page.getByLabel("Name").fill("Spring");
  await page.getByRole("group", { name: "Add to steps", exact: true }).getByRole("button", { name: "Wait" }).click();
  await page.getByLabel("Days", { exact: true }).last().fill("0");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText("A wait needs days or hours.").waitFor();
  await page.getByRole("button", { name: "Remove step 8" }).click();
  await page.getByRole("button", { name: "Save draft" }).click();

  await page.getByText("Steps for the first lead").waitFor();
  await page.getByText("3. Connection request").first().waitFor();
  expect(await findings(page)).toEqual([]);

  await page.getByRole("button", { name: "Enroll leads" }).click();
  await page.getByLabel("All leads with the tag").fill("spring");
  await page.getByRole("button", { name: "Check leads" }).click();
  await page.getByText("The lead has no profile URL.: 1").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Enroll 1 lead" }).click();
  await page.getByRole("link", { name: "Ada <i>Byron</i>" }).waitFor();

  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("button", { name: "Start campaign" }).click();
  await page.getByText("Spring has started.").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("button", { name: "Remove Ada <i>Byron</i>" }).click();
  await page.getByText("Removed by a user").first().waitFor();
  expect(problems).toEqual([]);
});
