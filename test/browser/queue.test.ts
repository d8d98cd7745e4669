import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { callApi, hurryAccount } from "../support/server-api.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;

function schedule(server: Server, name: string, change: object = {}) {
  const profileUrl = `https://network.example/in/${name}`;
  return callApi(server, "POST", "/network/scheduleNetworkAction", {
    ...{ actionType: "sendConnectionRequest", profileUrl, message: `Hello ${name}` },
    ...change,
  });
}

testInBrowser("the work list works with the keyboard", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await hurryAccount(server);
  for (const name of ["ada", "grace", "alan"]) await schedule(server, name);
  await eventually("three tasks", async () =>
    (await callApi<{ total: number }>(server, "GET", "/network/tasks")).total === 3 ? true : null,
  );
  await using opened = await openSignedIn(server, "/app/work", { permissions: ["clipboard-read", "clipboard-write"] });
  const { page, problems } = opened;
  await page.getByText("1 of 3").waitFor();
  expect(await findings(page)).toEqual([]);
  const first = await page.getByRole("article").getByRole("heading").textContent();
  const name = /to (\w+)/.exec(first ?? "")?.[1] ?? "";
  await page.keyboard.press("c");
  await page.getByText("Copied.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`Hello ${name}`);
  const popup = page.context().waitForEvent("page");
  await page.keyboard.press("o");
  const profile = await popup;
  await profile.close();
  await page.keyboard.press("d");
  await page.getByText("1 of 2").waitFor();
  await page.keyboard.press("f");
  await page.getByLabel("What happened").fill("d is typed here, and ends nothing");
  await page.getByRole("button", { name: "Mark as failed" }).click();
  await page.getByText("1 of 1").waitFor();
  await page.keyboard.press("s");
  await page.getByText("All done").waitFor();
  const { actions } = await callApi<{ actions: { state: string }[] }>(server, "GET", "/network/actions");
  expect(actions.map(({ state }) => state).toSorted()).toEqual(["completed", "failed", "skipped"]);
  expect(problems).toEqual([]);
});

testInBrowser("approves, edits, and cancels actions, also on a narrow dark screen", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  // Not before tomorrow: during working hours, an approved action would be sent immediately.
  const notBefore = new Date(Date.now() + 86_400_000).toISOString();
  await schedule(server, "ada", { requireApproval: true, notBefore });
  await schedule(server, "grace", { requireApproval: true, notBefore });
  const narrow = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;
  await using opened = await openSignedIn(server, "/app/queue?tab=approval", narrow);
  const { page, problems } = opened;
  await page.getByText("Hello grace").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row("ada").getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Note").fill("Good day");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Good day").waitFor();
  await row("ada").getByRole("button", { name: "Approve" }).click();
  await page.getByText("1 action approved.").waitFor();
  await row("grace").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel action" }).click();
  await page.getByText("No actions need approval").waitFor();
  await page.getByRole("tab", { name: "Next" }).click();
  await page.getByText("Good day").waitFor();
  await page.goto(`${server.url}/`);
  await page.getByText("Connection request to").first().waitFor();
  expect(await findings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(problems).toEqual([]);
});
