import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

type Json = Record<string, unknown>;
const allDay = [{ from: "00:00", to: "24:00" }];
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const always = Object.fromEntries(weekdays.map((day) => [day, allDay]));

testInBrowser(
  "a salesperson sees which text gets replies, where leads are, and which campaign does better",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`, {
      env: { OUTREACHD_CONNECTOR: "simulated", OUTREACHD_SIMULATED_RATES: "acceptances=100" },
    });
    const headers = { "x-api-key": server.firstRun?.key ?? "", "content-type": "application/json" };
    async function ask<T>(method: string, path: string, body?: Json): Promise<T> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${server.url}/api/v2${path}`, { method, headers, ...sent });
      const { data } = (await response.json()) as { data: T };
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
      return data;
    }
    const { accounts } = await ask<{ accounts: { id: string }[] }>("GET", "/network/accounts");
    const spacing = { medianSeconds: 0, minSeconds: 0 };
    const caps = { messages: { day: 1000, week: 5000 }, all: { day: 5000, week: 9000 } };
    const change = { workingHours: always, warmUp: null, sessions: null, spacing, caps, tier: "salesNavigator" };
    await ask("PATCH", `/network/accounts/${accounts[0]!.id}`, change);
    const people: { id: string; networkUrl: string }[] = [];
    for (let n = 0; n < 24; n++)
      people.push(
        await ask("POST", "/leads", { firstName: `Lead ${n}`, networkUrl: `https://network.example/in/lead-${n}` }),
      );
    const step = {
      ...{ type: "action", actionType: "sendMessage" },
      variants: [
        { name: "Question", weight: 1, message: "Do you have a minute?" },
        { name: "Offer <b>", weight: 1, message: "Here is our offer." },
      ],
    };
    const create = async (name: string, steps: Json[], leads: typeof people) => {
      const settings = { excludeOtherCampaigns: false };
      const { id } = await ask<{ id: string }>("POST", "/campaigns", { name, steps, settings });
      await ask("POST", `/campaigns/${id}/enroll`, { leadIds: leads.map((lead) => lead.id) });
      await ask("POST", `/campaigns/${id}/start`);
      return id;
    };
    const spring = await create("Spring", [step, { type: "wait", days: 3 }], people.slice(0, 20));
    const autumn = await create("Autumn", [{ ...step, variants: undefined, message: "Hello" }], people.slice(20));
    const contacted = async (id: string) =>
      (await ask<{ stages: { contacted: number } }>("GET", `/campaigns/${id}/funnel`)).stages.contacted;
    for (let n = 0; n < 300 && ((await contacted(spring)) < 20 || (await contacted(autumn)) < 4); n++)
      await Bun.sleep(50);
    const branch = { type: "branch", condition: "connected", withinDays: 7, yes: [], no: [] };
    const { id: long } = await ask<{ id: string }>("POST", "/campaigns", {
      ...{ name: "Long", settings: { excludeOtherCampaigns: false } },
      steps: [{ type: "action", actionType: "sendConnectionRequest" }, branch, step],
    });
    await ask("POST", `/campaigns/${long}/enroll`, { leadIds: [people[0]!.id] });
    const { id: empty } = await ask<{ id: string }>("POST", "/campaigns", { name: "Empty", steps: [step] });
    await ask("POST", `/campaigns/${empty}/start`);
    for (const { networkUrl } of people.slice(0, 6))
      await ask("POST", "/network/contacts/events", { profileUrl: networkUrl, event: "replied", text: "Yes" });

    await using opened = await openSignedIn(server, `/app/campaigns/${spring}`);
    const { page, problems } = opened;
    // A campaign that runs opens on its results.
    expect(await page.getByRole("tab", { name: "Insight" }).getAttribute("aria-selected")).toBe("true");
    const funnel = page.getByRole("region", { name: "Funnel" });
    await funnel.getByRole("row", { name: /^Replied 6 30%/ }).waitFor();
    await funnel.getByRole("row", { name: /^Contacted 20 100%/ }).waitFor();
    // Those who replied are stopped, the others wait.
    const steps = page.getByRole("region", { name: "Steps" });
    await steps.getByRole("row", { name: /^2\. Wait 3 days/ }).waitFor();
    await steps.getByRole("row", { name: /^All 20 leads 14 6/ }).waitFor();
    const test = page.getByRole("region", { name: "Variants of 1. Message" });
    await test.getByRole("rowheader", { name: "Offer <b>" }).waitFor();
    expect(await findings(page)).toEqual([]);
    await shoot(page, "insight-1280");

    // The days, for each text and each step.
    await page.getByLabel("Group by").selectOption("variant");
    const byText = page.getByRole("region", { name: "1. Message: Offer <b>" });
    await byText
      .getByText(/^\d+ \w+: [1-9]/)
      .first()
      .waitFor({ state: "attached" });
    await page.waitForURL(/by=variant/);
    expect(await findings(page)).toEqual([]);
    await shoot(page, "insight-variants");
    await page.getByLabel("Group by").selectOption("step");
    await page.getByLabel("Count").selectOption("replied");
    await page.getByRole("region", { name: "1. Message", exact: true }).waitFor();
    await page.getByLabel("Group by").selectOption("");

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByText("Funnel, steps, variants (CSV)").click();
    expect(await Bun.file(await (await download).path()).text()).toStartWith("dimension,step,name,enrolled");

    // By keyboard alone.
    await page.getByLabel("Period").selectOption("7");
    await page.waitForURL(/period=7/);
    await page.reload();
    await funnel.getByRole("row", { name: /^Replied 6/ }).waitFor();
    await page.getByRole("tab", { name: "Insight" }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await funnel.waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    expect(await findings(page)).toEqual([]);
    await shoot(page, "insight-390");
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.reload();
    await test.waitFor();
    expect(await findings(page)).toEqual([]);
    await shoot(page, "insight-dark");

    // From a number to the people behind it.
    await page.getByLabel("Period").selectOption("");
    await funnel.getByRole("link", { name: "6", exact: true }).click();
    await page.waitForURL(/part=follow&outcome=replied/);
    const leads = page.getByRole("region", { name: "Enrolled leads" });
    await leads.getByRole("row", { name: /Lead 5 .*Replied/ }).waitFor();
    expect(await leads.getByRole("row").count()).toBe(7);
    expect(await findings(page)).toEqual([]);
    await shoot(page, "replied-dark");
    await page.getByLabel("Result").selectOption("interested");
    await page.getByText("No leads match these filters").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await leads.getByRole("row", { name: /Lead 9 / }).waitFor();

    for (const width of [1440, 1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}/app/campaigns/${long}?part=insight`);
      const places = page.getByRole("region", { name: "Steps" });
      await places.getByRole("row", { name: /^2\. If the lead has accepted/ }).waitFor();
      const wide = await page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll(".table-frame")].map(({ scrollWidth, clientWidth }) =>
          Math.max(0, scrollWidth - clientWidth),
        ),
      );
      expect(wide[0]).toBe(0);
      if (width > 390) expect(wide).toEqual(wide.map(() => 0));
      await shoot(page, `insight-long-${width}`);
    }
    await page.goto(`${server.url}/app/campaigns/${empty}`);
    await page.getByRole("heading", { name: "No leads enrolled" }).waitFor();
    await page.getByRole("button", { name: "Enroll leads" }).last().click();
    await page.getByRole("dialog", { name: "Enroll leads" }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await page.goto(`${server.url}/app/campaigns/${spring}`);
    await page.getByRole("link", { name: "Campaigns" }).first().click();
    await page.getByRole("link", { name: "Compare" }).click();
    await page.getByRole("row", { name: /Spring.*30% \(6\)/ }).waitFor();
    await page.getByRole("row", { name: /Autumn.*0% \(0\)/ }).waitFor();
    expect(await findings(page)).toEqual([]);
    await shoot(page, "compare-dark");
    expect(problems).toEqual([]);
  },
);

async function shoot(page: { screenshot(options: object): Promise<unknown> }, name: string): Promise<void> {
  const folder = process.env["OUTREACHD_TEST_SCREENSHOTS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
