import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { pages } from "../../src/surfaces/dashboard/app/pages.ts";
import { closeBrowser, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi, hurryAccount } from "../support/server-api.ts";
import { eventually } from "../support/service.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;
const width = 390;

testInBrowser(
  "every page fits on a phone, and its tables break no words",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`, {
      args: [
        ...["--simulate", "--simulated-start", "2026-03-02T07:30:00Z", "--simulated-seed", "7"],
        ...["--simulated-rates", "acceptances=55,replies=40"],
      ],
    });
    const ids = await fill(server);
    await using opened = await openSignedIn(server, "/app/settings", { viewport: { width, height: 844 } });
    const { page, problems } = opened;
    page.setDefaultTimeout(10_000);
    const found: Record<string, string[]> = {};
    const check = async (name: string) => {
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton, .spinner') === null);
      const problems = [...(await overflow(page)), ...(await brokenWords(page))];
      if (problems.length > 0) found[name] = problems;
      await shoot(page, name);
    };
    for (const { path } of pages) {
      await page.goto(`${server.url}/app${path.replace(/:\w+/, () => idOf(path, ids))}`);
      await page.locator("main h1").first().waitFor();
      await check(path);
      const tabs = page.locator("main [role=tab]");
      for (let n = 0; n < (await tabs.count()); n++) {
        await tabs.nth(n).click();
        await check(`${path}, ${await tabs.nth(n).textContent()}`);
      }
    }
    expect(found).toEqual({});
    expect(problems).toEqual([]);
  },
  180_000,
);

function idOf(path: string, ids: Record<string, string>): string {
  const id = ids[path];
  if (id === undefined) throw new Error(`Expected an ID for the page ${path}: return one from fill()`);
  return id;
}

/** What makes the window scroll sideways. */
function overflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.scrollingElement!;
    return scrollWidth > clientWidth ? [`${scrollWidth} instead of ${clientWidth} pixels`] : [];
  });
}

/** Words of ordinary length in tables that are on more than one line. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const broken = new Set<string>();
    for (const cell of document.querySelectorAll("th, td")) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
        for (const { index, 0: word } of (node.textContent ?? "").matchAll(
          /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,16}(?![\p{L}\p{N}])/gu,
        )) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) broken.add(`"${word}" is broken`);
        }
    }
    return [...broken];
  });
}

const people = Array.from({ length: 30 }, (_, n) => {
  const [first, last] = [
    ["Benedikt", "Wolfgang", "Anastasia", "Priya"][n % 4]!,
    ["Lindqvist", "Schwarzenberger", "Fitzgerald"][n % 3]!,
  ];
  const company = ["Brightwater Health", "Northwind Logistics", "Donaudampfschifffahrt GmbH"][n % 3]!;
  return `${first},${last}${n},${first.toLowerCase()}.${last.toLowerCase()}${n}@brightwater-health.example,https://network.example/in/p${n},${company},Revenue Operations Lead,spring;priority-accounts`;
});

/** Puts something on every page. Returns an ID for each pattern of a path with one. */
async function fill(server: Server): Promise<Record<string, string>> {
  const ask = <T>(method: string, path: string, body?: unknown) => callApi<T>(server, method, path, body);
  await hurryAccount(server);
  const { accounts } = await ask<{ accounts: { id: string }[] }>("GET", "/network/accounts");
  await ask("PATCH", `/network/accounts/${accounts[0]!.id}`, { connector: "simulated" });
  const file = `First name,Last name,Email,Profile,Company,Title,Tags\n${people.join("\n")}\nNobody,,no address,,,,\n`;
  const job = await ask<{ id: string }>("POST", "/leads/import", file);
  await ask("POST", "/prospecting/import", file);
  await ask("POST", "/simulation/clock", { advance: "PT1M" });
  const { leads } = await eventually("the leads", async () => {
    const list = await ask<{ leads: { id: string }[]; total: number }>("GET", "/leads");
    return list.total === people.length ? list : null;
  });
  await ask("PUT", `/leads/${leads[0]!.id}`, { customFields: { "Preferred language": "German", size: 12 } });
  const variants = ["Question", "Reference"].map((name) => ({ name, weight: 1, message: `Hi {{firstName}}: ${name}` }));
  const yes = [{ type: "action", actionType: "sendMessage", message: "Thank you for connecting, {{firstName}}." }];
  const steps = [
    { type: "action", actionType: "sendConnectionRequest", variants },
    { type: "branch", condition: "connected", withinDays: 7, yes, no: [] },
  ];
  const { id: campaignId } = await ask<{ id: string }>("POST", "/campaigns", {
    name: "Heads of operations, spring",
    steps,
  });
  await ask("POST", `/campaigns/${campaignId}/enroll`, { tag: "spring" });
  await ask("POST", `/campaigns/${campaignId}/start`);
  await ask("POST", "/simulation/clock", { advance: "P4D" });
  const { id: webhookId } = await ask<{ id: string }>("POST", "/webhooks", {
    ...{ url: "https://hooks.brightwater-health.example/outreachd/incoming-events?token=abcdef", events: ["*"] },
  });
  await ask("POST", "/suppressions", {
    values: ["anastasia.fitzgerald@brightwater-health.example"],
    reason: "Asked by phone",
  });
  await ask("POST", "/keys", {
    name: "Integration with the data warehouse",
    permissions: ["leads:read", "network:read"],
  });
  await ask("POST", "/users", {
    email: "wolfgang.schwarzenberger@brightwater-health.example",
    name: "Wolfgang Schwarzenberger",
  });
  await ask("POST", "/backups", {});
  return {
    "/leads/import/:jobId": job.id,
    "/leads/:id": leads[0]!.id,
    "/campaigns/:id": campaignId,
    "/voice/:id": "none",
    "/settings/accounts/:id": accounts[0]!.id,
    "/settings/webhooks/:id": webhookId,
  };
}

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["OUTREACHD_TEST_SCREENSHOTS"];
  if (folder === undefined) return;
  await page.screenshot({ path: `${folder}/narrow${name.replaceAll(/\W+/g, "-")}.png`, fullPage: true });
}
