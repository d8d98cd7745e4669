import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openPage, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";

afterAll(closeBrowser);

testInBrowser("configures an account, creates, uses, and disables a key, and suppresses a person", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openSignedIn(server, "/app/settings");
  const { page, problems } = opened;

  // On a phone, the open tab is in view, although the others take more than the width.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.url}/app/settings?part=backups`);
  await page.waitForFunction(() => {
    const { right } = document.querySelector("[role=tab][aria-selected=true]")?.getBoundingClientRect() ?? {};
    return right !== undefined && right <= innerWidth;
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${server.url}/app/settings`);

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

testInBrowser(
  "holidays of an account are added, corrected, and removed, by the keyboard and on a phone, too",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`);
    const headers = { "x-api-key": server.firstRun?.key ?? "" };
    const stored = async () => {
      const response = await fetch(`${server.url}/api/v2/network/accounts`, { headers });
      return ((await response.json()) as { data: { accounts: { holidays: object[] }[] } }).data.accounts[0]!.holidays;
    };
    await using opened = await openSignedIn(server, "/app/settings");
    const { page, problems } = opened;
    await page.getByRole("link", { name: "default" }).click();
    const save = () => page.getByRole("button", { name: "Save", exact: true }).click();

    await page.getByRole("button", { name: "Add holiday" }).focus();
    await page.keyboard.press("Enter");
    const first = page.getByRole("group", { name: "Holiday 1" });
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-path") === "holidays.0.from");
    // The last day follows the first, until it is chosen.
    await first.getByLabel("First day").fill("2030-12-24");
    expect(await first.getByLabel("Last day").inputValue()).toBe("2030-12-24");
    await first.getByLabel("Last day").fill("2030-12-26");
    await first.getByLabel("Name").fill("Christmas <b>");
    await page.getByRole("button", { name: "Add holiday" }).click();
    const second = page.getByRole("group", { name: "Holiday 2" });
    await second.getByLabel("First day").fill("2030-05-01");
    await second.getByLabel("Last day").fill("2033-05-01");
    await save();
    await page.getByText("Check the year.").waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("data-path") === "holidays.1.to");
    await shoot(page, "holidays-error");
    expect(await findings(page)).toEqual([]);
    await second.getByLabel("Last day").fill("2030-05-01");
    expect(await page.getByText("Check the year.").count()).toBe(0);
    await save();
    await page.getByText("Saved. The queue was rescheduled.").waitFor();
    expect(await stored()).toEqual([
      { from: "2030-05-01", to: "2030-05-01", name: "" },
      { from: "2030-12-24", to: "2030-12-26", name: "Christmas <b>" },
    ]);

    await page.reload();
    const christmas = page.getByRole("group", { name: "Christmas <b>" });
    await christmas.waitFor();
    for (const [width, colorScheme] of [
      [1440, "light"],
      [1280, "dark"],
      [390, "light"],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await christmas.scrollIntoViewIfNeeded();
      expect(await findings(page)).toEqual([]);
      await shoot(page, `holidays-${width}-${colorScheme}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    await christmas.getByRole("button", { name: "Remove Christmas <b>" }).focus();
    await page.keyboard.press("Enter");
    expect(await christmas.count()).toBe(0);
    // Where the keyboard was is gone, so it goes on from the next control.
    await page.waitForFunction(() => document.activeElement?.closest(".holiday, fieldset") !== null);
    await save();
    await page.getByText("Saved. The queue was rescheduled.").waitFor();
    expect(await stored()).toHaveLength(1);
    expect(problems).toEqual([]);
  },
);

async function shoot(page: { screenshot(options: object): Promise<unknown> }, name: string): Promise<void> {
  const folder = process.env["OUTREACHD_TEST_SCREENSHOTS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

testInBrowser(
  "a key for a program: limited to networks and a rate, refused elsewhere, with its use by day",
  async () => {
    await using directory = await createDirectory();
    // The client's address comes from a proxy, as X-Forwarded-For.
    const env = { OUTREACHD_TRUSTED_PROXIES: "1" };
    await using server = await startServer(`${directory.path}/data`, { env });
    await using opened = await openSignedIn(server, "/app/settings?part=keys");
    const { page, problems } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Create key" }).click();
    await dialog.getByLabel("Name").fill("CRM");
    await dialog.getByRole("button", { name: "Read only" }).click();
    await dialog.getByText("Networks and rate limits").click();
    await dialog.getByLabel("Allowed networks").fill("203.0.113.0/24\n10.0.0.0/99");
    await dialog.getByLabel("Requests per hour").fill("3");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("10.0.0.0/99").last().waitFor();
    await dialog.getByLabel("Allowed networks").fill("203.0.113.0/24, 2001:db8::/32");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = await page.getByRole("textbox", { name: "API key" }).inputValue();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("row").filter({ hasText: "CRM" }).getByText("some networks, rate limited").waitFor();

    const use = (address: string) =>
      fetch(`${server.url}/api/v2/leads`, { headers: { "x-api-key": secret, "x-forwarded-for": address } });
    const refused = await use("198.51.100.7");
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      message: expect.stringContaining("cannot be used from the address 198.51.100.7"),
      details: { address: "198.51.100.7" },
    });
    const statuses: number[] = [];
    for (const address of ["203.0.113.7", "2001:db8::7", "203.0.113.8", "203.0.113.9"])
      statuses.push((await use(address)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);

    // Who signs in with it from elsewhere reads why.
    await using stranger = await openPage(`${server.url}/app/sign-in`);
    await stranger.page.getByLabel("API key").fill(secret);
    await stranger.page.getByRole("button", { name: "Sign in" }).click();
    await stranger.page.getByText("cannot be used from the address 127.0.0.1").waitFor();

    await page.getByRole("button", { name: "CRM" }).click();
    const used = await dialog.getByRole("img", { name: /requests in \d+ days/ }).getAttribute("aria-label");
    expect(used).toMatch(/^[3-6] requests in \d+ days, at most [3-6] on a day$/);
    await dialog.getByText("Networks and rate limits").click();
    expect(await dialog.getByLabel("Allowed networks").inputValue()).toBe("203.0.113.0/24\n2001:db8::/32");
    expect(await dialog.getByLabel("Requests per hour").inputValue()).toBe("3");
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel("Requests per hour").fill("");
    await dialog.getByLabel("Allowed networks").fill("");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await eventually("no limits", async () => ((await use("198.51.100.7")).status === 200 ? true : null));
    expect(problems).toEqual([]);
  },
);
