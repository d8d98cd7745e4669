import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("every page shows the simulation and can advance it", async () => {
  await using directory = await createDirectory();
  const args = ["--simulate", "--simulated-start", "2026-03-02T10:00:00Z"];
  await using server = await startServer(`${directory.path}/data`, { args });
  const { accounts } = await callApi<{ accounts: { id: string }[] }>(server, "GET", "/network/accounts");
  await callApi(server, "PATCH", `/network/accounts/${accounts[0]?.id}`, { connector: "simulated" });
  await callApi(server, "POST", "/network/scheduleNetworkAction", {
    ...{ actionType: "sendConnectionRequest", profileUrl: "https://network.example/in/ada-accepts" },
  });
  const narrow = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;
  await using opened = await openSignedIn(server, "/app/queue", narrow);
  const { page, problems } = opened;
  await page.getByText("The clock is stopped at Mon, 2 Mar 2026, 10:00").waitFor();
  await page.getByText("ada-accepts").first().waitFor();
  expect(await findings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.getByRole("button", { name: "1 week" }).click();
  await page.getByRole("dialog").getByText("Connection request").waitFor();
  await page.getByRole("dialog").getByText("1 completed").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByText("The clock is stopped at Mon, 9 Mar 2026, 10:00").waitFor();
  await page.getByText("No actions scheduled").waitFor();
  await page.goto(`${server.url}/app/queue?tab=completed`);
  await page.getByText("2 Mar 2026").first().waitFor();
  expect(problems).toEqual([]);
});
