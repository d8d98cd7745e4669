import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("saves filters and columns as a view, which becomes a tab", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "POST", "/leads", {
    ...{ firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", company: "Engines" },
    ...{ location: "London", tags: ["hot", "list:Fair"], customFields: { "Team size": 50 } },
  });
  await callApi(server, "POST", "/leads", { firstName: "Grace", lastName: "Hopper", email: "grace@example.com" });
  await using opened = await openSignedIn(server, "/app/leads?tags=hot");
  const { page, problems } = opened;
  await page.getByText("1 lead found").waitFor();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Location").check();
  await page.getByLabel("Team size").check();
  await page.getByRole("cell", { name: "London" }).waitFor();
  await page.getByRole("cell", { name: "50", exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save as view…" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Hot leads");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const tab = page.getByRole("link", { name: "Hot leads" });
  await tab.waitFor();
  expect(await tab.getAttribute("aria-current")).toBe("page");
  expect(await page.getByRole("button", { name: "Save changes" }).count()).toBe(0);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/views.png` });
  expect(await findings(page)).toEqual([]);

  await page.getByRole("link", { name: "All leads" }).click();
  await page.getByText("2 leads", { exact: true }).waitFor();
  expect(await page.getByRole("columnheader", { name: "Location" }).count()).toBe(0);
  await tab.click();
  await page.getByText("1 lead found").waitFor();
  await page.getByRole("columnheader", { name: "Team size" }).waitFor();
  await page.getByRole("button", { name: "Remove filter Tag" }).click();
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Hot leads saved.").waitFor();
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete view" }).click();
  await tab.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await tab.waitFor();
  expect(await tab.getAttribute("aria-current")).toBe("page");
  expect(problems).toEqual([]);
});
