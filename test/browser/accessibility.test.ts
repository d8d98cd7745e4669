import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { pages } from "../../src/surfaces/dashboard/app/pages.ts";
import { closeBrowser, findings, openPage, openSignedIn, testInBrowser } from "../support/browser.ts";
import { dashboardScenes, type Scene } from "../support/dashboard-scenes.ts";
import { fillDashboard } from "../support/dashboard-world.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { start } from "../support/screenshots-world.ts";

afterAll(closeBrowser);

/** Each scene is shown in one of them, and the next one in the next. */
const looks = [
  { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { viewport: { width: 390, height: 844 }, colorScheme: "light" },
  { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
] as const;
/** Shifts the looks of all scenes, to see them in the others, too: 0 to 3. */
const shift = Number(process.env["OUTREACHD_TEST_LOOK"] ?? 0);

testInBrowser(
  "axe finds nothing on any page or dialog, and nothing leaves the window",
  async () => {
    await using directory = await createDirectory();
    const rates = ["--simulated-seed", "7", "--simulated-rates", "acceptances=55,replies=40"];
    await using server = await startServer(`${directory.path}/data`, {
      args: ["--simulate", "--simulated-start", start, ...rates, "--lead-status", "replies"],
      env: {
        OUTREACHD_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1",
        OUTREACHD_RATE_LIMIT_MINUTE: "0",
        OUTREACHD_RATE_LIMIT_HOUR: "0",
      },
    });
    const scenes = dashboardScenes(await fillDashboard(server));
    expect(pages.map(({ path }) => path).filter((path) => !scenes.some((scene) => isOf(scene, path)))).toEqual([]);
    const found: Record<string, string[]> = {};
    for (const [index, look] of looks.entries()) {
      await using opened = await openSignedIn(server, "/", { ...look, reducedMotion: "reduce" });
      const { page, problems } = opened;
      page.setDefaultTimeout(30_000);
      for (const [n, scene] of scenes.entries()) {
        if ((n + shift) % looks.length !== index) continue;
        const name = `${scene.name}, ${look.colorScheme}, ${look.viewport.width} px`;
        const faults = await faultsOf(page, server.url, scene).catch((error: Error) => [error.message]);
        if (faults.length > 0) found[name] = faults;
      }
      found[`problems, ${index}`] = problems;
    }
    await using signedOut = await openPage(`${server.url}/app/sign-in`);
    await signedOut.page.getByLabel("API key").waitFor();
    found["sign in"] = await findings(signedOut.page);
    expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
  },
  240_000,
);

/** Whether the scene is of this path of app/pages.ts. */
function isOf({ path }: Scene, pattern: string): boolean {
  const shown = path.replace(/^\/app(?=\/)/, "").replace(/\?.*/, "");
  return new RegExp(`^${pattern.replace(/:\w+/g, "[^/]+")}$`).test(shown);
}

async function faultsOf(page: Page, url: string, { path, open }: Scene): Promise<string[]> {
  await page.goto(url + path);
  await page.locator("main h1").first().waitFor();
  await untilLoaded(page);
  await open?.(page);
  await untilLoaded(page);
  return [...(await findings(page)), ...(await page.evaluate(overflows))];
}

async function untilLoaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('main [aria-busy="true"], main .skeleton, main .spinner, dialog .skeleton') === null,
  );
}

/** Runs in the page: what is cut off, or only reached by scrolling the window sideways. */
function overflows(): string[] {
  const wide = document.documentElement.scrollWidth - innerWidth;
  const found = wide > 0 ? [`The page is ${wide} px wider than the window.`] : [];
  for (const element of document.querySelectorAll("dialog[open], .popover:not([hidden]), .menu-items:not([hidden])")) {
    const { left, right } = element.getBoundingClientRect();
    if (left < 0 || right > innerWidth) found.push(`.${element.className} leaves the window.`);
    if (element.scrollWidth > element.clientWidth) found.push(`.${element.className} is cut off.`);
  }
  return found;
}
