import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

testInBrowser("configures an account, creates, uses, and disables a key, and suppresses a person", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openSignedIn(server, "/app/settings");
  const { page, problems } = opened;

  await page.getByRole("link", { name: "default" }).click();
  await page.getByLabel("Connection requests, 24 hours").fill("100000");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("the highest known safe value").waitFor();
  await page.getByLabel("Connection requests, 24 hours").fill("7");
  await page.getByRole("checkbox", { name: "Saturday" }).check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. The queue was rescheduled.").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.reload();
  expect(await page.getByLabel("Connection requests, 24 hours").inputValue()).toBe("7");
  expect(await page.getByRole("checkbox", { name: "Saturday" }).isChecked()).toBe(true);

  await page.goto(`${server.url}/app/settings?part=keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("<script>alert(1)</script>");
  await page.getByRole("button", { name: "Read only" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const secret = await page.getByRole("textbox", { name: "API key" }).inputValue();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "I have stored it" }).click();
  const use = () => fetch(`${server.url}/api/v2/leads`, { headers: { "x-api-key": secret } });
  expect((await use()).status).toBe(200);
  await page.getByRole("button", { name: "<script>alert(1)</script>" }).click();
  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText("was disabled").waitFor();
  expect((await use()).status).toBe(401);

  await page.getByRole("tab", { name: "Do-not-contact list" }).click();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByLabel("People and companies").fill("ada@example.com\n@example.org\nnobody");
  await page.getByRole("button", { name: "Add to list" }).click();
  await page.getByText("2 entries added, 1 value invalid.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "example.org" }).waitFor();
  expect(await findings(page)).toEqual([]);

  await page.getByRole("tab", { name: "Backups" }).click();
  await page.getByRole("button", { name: "Create backup" }).click();
  const download = await page.getByRole("link", { name: "Download" }).getAttribute("href");
  const archive = await page.request.get(`${server.url}${download}`);
  expect((await archive.body()).subarray(0, 4).toString("hex")).toBe("28b52ffd"); // zstd
  expect(await findings(page)).toEqual([]);

  await page.getByRole("tab", { name: "Users" }).click();
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByLabel("Email").fill("grace@example.com");
  await page.getByRole("dialog").getByRole("button", { name: "Add user" }).click();
  await page.getByText("No keys yet.").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});
