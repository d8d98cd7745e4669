import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openPage, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

testInBrowser("invites a person, who joins by the link, and then gets leads assigned", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using owner = await openSignedIn(server, "/app/settings?part=people");
  await owner.page.getByRole("button", { name: "Invite" }).click();
  await owner.page.getByLabel("Email").fill("grace@example.com");
  await owner.page.getByRole("button", { name: "Create link" }).click();
  const link = await owner.page.getByLabel("Invitation link").inputValue();
  expect(await findings(owner.page)).toEqual([]);
  await owner.page.getByRole("button", { name: "Done" }).click();
  await owner.page.getByText("grace@example.com").waitFor();

  await using guest = await openPage(link);
  await guest.page.getByRole("heading", { name: /^Join / }).waitFor();
  expect(guest.page.url()).not.toContain("#");
  expect(await findings(guest.page)).toEqual([]);
  await guest.page.getByLabel("Your name").fill("Grace Hopper");
  await guest.page.getByRole("button", { name: "Join" }).click();
  expect(await guest.page.getByLabel("API key").inputValue()).toStartWith("oak_");
  await guest.page.getByRole("button", { name: "Open outreachd" }).click();
  await guest.page.getByRole("navigation", { name: "Pages" }).waitFor();
  await guest.page.getByText("Grace Hopper").first().waitFor();

  const key = server.firstRun?.key ?? "";
  const headers = { "content-type": "application/json", "x-api-key": key };
  const lead = JSON.stringify({ email: "ada@example.com", firstName: "Ada" });
  expect((await fetch(`${server.url}/api/v2/leads`, { method: "POST", headers, body: lead })).ok).toBe(true);
  await owner.page.goto(`${server.url}/app/leads`);
  await owner.page.getByRole("checkbox", { name: "Ada" }).check();
  await owner.page.getByRole("button", { name: "More", exact: true }).click();
  await owner.page.getByRole("button", { name: "Assign…" }).click();
  await owner.page.getByLabel("Owner", { exact: true }).last().selectOption({ label: "Grace Hopper" });
  await owner.page.getByRole("button", { name: "Assign", exact: true }).click();
  await owner.page.getByRole("img", { name: "Grace Hopper" }).waitFor();
  expect(await findings(owner.page)).toEqual([]);
  await guest.page.goto(`${server.url}/app/leads?assignedTo=me`);
  await guest.page.getByRole("link", { name: "Ada" }).waitFor();

  await owner.page.goto(`${server.url}/app/settings?part=people`);
  await owner.page.getByRole("button", { name: "Grace Hopper" }).click();
  await owner.page.getByRole("button", { name: "Remove…" }).click();
  await owner.page.getByRole("button", { name: "Remove", exact: true }).click();
  await owner.page.getByText("Grace Hopper was removed.").waitFor();
  await guest.page.reload();
  await guest.page.getByLabel("API key").waitFor();
  expect([owner.problems, guest.problems]).toEqual([[], []]);
});
