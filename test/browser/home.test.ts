import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";
import { eventually } from "../support/service.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;

/** A Tuesday. */
const args = ["--simulate", "--simulated-start", "2026-03-03T06:00:00Z", "--simulated-seed", "7"];
const hours = [{ from: "08:00", to: "18:00" }];
const workingHours = Object.fromEntries(
  ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => [day, hours]),
);

/** Two accounts: the first has worked since the morning, the second waits for the next one. */
async function fill(server: Server): Promise<void> {
  const ask = <T>(method: string, path: string, body?: unknown) => callApi<T>(server, method, path, body);
  const { accounts } = await ask<{ accounts: { id: string }[] }>("GET", "/network/accounts");
  const settings = { workingHours, warmUp: null, sessions: null, connector: "simulated", timeZone: "UTC" };
  await ask("PATCH", `/network/accounts/${accounts[0]!.id}`, {
    ...{ ...settings, name: "Johanna" },
    spacing: { medianSeconds: 3600, minSeconds: 3600 },
  });
  const late = Object.fromEntries(Object.keys(workingHours).map((day) => [day, [{ from: "07:00", to: "07:30" }]]));
  const second = await ask<{ id: string }>("POST", "/network/accounts", {
    ...{ ...settings, workingHours: late, name: "Sofia Lindgren-Papadopoulos (Sales Navigator, Nordics)" },
  });
  const visit = (accountId: string, name: string) =>
    ask("POST", "/network/scheduleNetworkAction", {
      ...{ accountId, actionType: "visitProfile", profileUrl: `https://network.example/in/${name}` },
    });
  for (let n = 0; n < 8; n++) await visit(accounts[0]!.id, `morning-${n}`);
  await ask("POST", "/simulation/clock", { advance: "PT4H" });
  await visit(second.id, "tomorrow-0");
  await visit(second.id, "tomorrow-1");
}

testInBrowser("Home shows the day: what was done, what comes when and why, without gaps", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`, { args });
  await fill(server);
  for (const [width, colorScheme] of [
    [1440, "light"],
    [1280, "dark"],
    [390, "light"],
  ] as const) {
    await using opened = await openSignedIn(server, "/", { viewport: { width, height: 900 }, colorScheme });
    const { page, problems } = opened;
    const lanes = page.locator(".day-lane");
    await lanes
      .first()
      .getByText(/^\d done\. \d actions? left today, next at \d\d:\d\d/)
      .waitFor();
    await lanes.nth(1).getByText("Nothing more today. Outside working hours; next Wed 07:").waitFor();
    expect(await lanes.first().locator(".day-mark.done").count()).toBeGreaterThan(0);

    // The exact time stands out, the relative one is small; the reason says what it waits for.
    const next = page.locator(".card").filter({ has: page.getByRole("heading", { name: "Next" }) });
    const tomorrow = next.getByRole("listitem").filter({ hasText: "tomorrow-0" });
    expect(await tomorrow.locator("strong time").textContent()).toMatch(/^Wed 07:\d\d$/);
    await tomorrow.getByText(/^in \d+ hours$/).waitFor();
    await tomorrow.getByText(/^Outside working hours · opens Wed 07:\d\d$/).waitFor();
    await next.getByRole("listitem").filter({ hasText: "morning-2" }).getByText("In the queue · 1 ahead").waitFor();

    // The bars fill the card down to the table.
    const week = page.locator(".weeks");
    await week.locator(".week-bar").first().waitFor();
    // At one moment: the cards above may still grow.
    await eventually("the bars down to the table", async () => {
      const [underBars, underTable] = await week.evaluate((card) => {
        const box = (selector: string) => card.querySelector(selector)!.getBoundingClientRect();
        const table = box("summary");
        return [table.top - box(".week-chart").bottom, card.getBoundingClientRect().bottom - table.bottom] as const;
      });
      return underBars < 32 && underTable < 48 ? true : null;
    });

    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(problems).toEqual([]);
  }
});

testInBrowser("the queue names the account that is behind, and the calendar fits a phone", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`, { args });
  await fill(server);
  await using opened = await openSignedIn(server, "/app/queue");
  const { page, problems } = opened;
  const row = page.getByRole("row").filter({ hasText: "tomorrow-1" });
  await row.getByText("In the queue · 1 ahead").waitFor();
  await row.getByText("Sofia Lindgren-Papadopoulos").waitFor();
  await page.getByLabel("Account").selectOption("Johanna");
  await row.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Clear" }).click();
  await row.waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Calendar" }).click();
  const calendar = page.getByRole("region", { name: "Calendar" });
  await calendar.getByRole("button").first().waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  const account = calendar.getByRole("rowheader", { name: "Johanna" });
  const before = await account.boundingBox();
  await calendar.evaluate((frame) => frame.scrollTo({ left: 400 }));
  expect((await account.boundingBox())!.x).toBe(before!.x);
  expect(before!.width).toBeLessThan(180);
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});
