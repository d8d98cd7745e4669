import { afterAll, expect } from "bun:test";
import { closeBrowser, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("shows that the server is down, and reconnects automatically", async () => {
  await using directory = await createDirectory();
  const dataDir = `${directory.path}/data`;
  const before = await startServer(dataDir);
  await using opened = await openSignedIn(before, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("No leads yet").waitFor();
  await before.stop();
  await page.getByPlaceholder("Name, email").fill("ada");
  await page.getByText("The server is not responding. This page reconnects").waitFor();
  await using after = await startServer(dataDir, { args: ["--listen", new URL(before.url).host] });
  await callApi({ ...after, firstRun: before.firstRun }, "POST", "/leads", {
    firstName: "Ada",
    email: "ada@example.com",
  });
  await page.getByRole("link", { name: "Ada" }).waitFor();
  await page.getByText("The server is not responding. This page reconnects").waitFor({ state: "hidden" });
  expect(problems).toEqual([]);
});

testInBrowser("after a key is disabled, the user signs in again and continues", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const key = await callApi<{ id: string; key: string }>(server, "POST", "/keys", {
    name: "page",
    permissions: ["leads:read", "leads:write"],
  });
  await using opened = await openSignedIn({ ...server, firstRun: { key: key.key } }, "/app/leads");
  const { page, problems } = opened;
  await page.getByRole("button", { name: "New lead" }).click();
  await page.getByLabel("Email").fill("ada@example.com");
  await callApi(server, "PUT", `/keys/${key.id}`, { isActive: false });
  await page.getByRole("button", { name: "Add lead" }).click();
  await page.getByRole("heading", { name: "Sign in again" }).waitFor();
  await page.getByLabel("API key").fill(server.firstRun?.key ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("ada@example.com was added.").waitFor();
  expect(problems).toEqual([]);
});
