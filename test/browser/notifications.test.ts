import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("an ended import is announced at the bell, opens its report, and is read then", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const dark = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;
  await using opened = await openSignedIn(server, "/app/queue", dark);
  const { page, problems } = opened;
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  await callApi(server, "POST", "/leads/import", "First name,Email\nAda,ada@example.com\nGrace,no address\n");
  // The event stream tells the page, without a reload.
  await page.getByRole("button", { name: "Notifications, 1 unread" }).click();
  const list = page.getByRole("group", { name: "Notifications" });
  await list.getByText("1 created, 1 failed").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  await page.keyboard.press("Enter");
  await list.getByRole("button", { name: /Lead import finished/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Imported 2 rows" }).waitFor();
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  expect(problems).toEqual([]);
});
