import { test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const knownPlaces = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Where Chromium lies on this machine; null without one. CI installs it, so there its absence is a failure. */
export const chromiumPath: string | null =
  process.env["OUTREACHD_TEST_CHROMIUM"] ?? knownPlaces.find((path) => existsSync(path)) ?? null;

/** A test that drives a real browser. */
export function testInBrowser(title: string, run: () => Promise<void>, timeoutMs = 60_000): void {
  if (chromiumPath !== null || process.env["CI"] === "true") test(title, run, timeoutMs);
  else test.skip(`${title} (no Chromium here: install it, or name it by OUTREACHD_TEST_CHROMIUM)`, run);
}

export type OpenedPage = {
  page: Page;
  /**
   * What no page of ours may ever cause: a violation of the Content-Security-Policy, an error that nobody caught, a
   * request to another host.
   */
  problems: string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type OpenOptions = BrowserContextOptions & {
  /** Prepares the page before it loads the URL. */
  beforeLoad?: (page: Page) => Promise<unknown>;
};

let running: Promise<Browser> | null = null;

/** As `openPage`, of the path of a server, signed in by its key. */
export async function openSignedIn(
  server: { url: string; firstRun: { key: string } | null },
  path: string,
  options: OpenOptions = {},
): Promise<OpenedPage> {
  const response = await fetch(`${server.url}/app/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-outreachd-page": "1" },
    body: JSON.stringify({ key: server.firstRun?.key }),
  });
  const [name = "", value = ""] = (response.headers.get("set-cookie") ?? "").split(";")[0]?.split("=") ?? [];
  const { hostname } = new URL(server.url);
  const cookie = { name, value, domain: hostname, path: "/", expires: -1, httpOnly: true, secure: false };
  const cookies = [{ ...cookie, sameSite: "Strict" as const }];
  return openPage(server.url + path, { storageState: { cookies, origins: [] }, ...options });
}

/** A page of its own browser profile at `url`. The browser itself is shared by the tests of a file. */
export async function openPage(url: string, { beforeLoad, ...options }: OpenOptions = {}): Promise<OpenedPage> {
  running ??= launch();
  const context = await (
    await running
  ).newContext({ locale: "en-GB", timezoneId: "UTC", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  const { host } = new URL(url);
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    // The browser also logs every refusal and lost connection, which tests bring about on purpose.
    const text = message.text();
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) problems.push(`console: ${text}`);
  });
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (!["data:", "blob:"].includes(target.protocol) && target.host !== host)
      problems.push(`request to ${request.url()}`);
  });
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`),
    );
  });
  await beforeLoad?.(page);
  await page.goto(url);
  const close = () => context.close();
  return { page, problems, close, [Symbol.asyncDispose]: close };
}

/** Drops a file on an element, as a person does who drags it in from the desktop. */
export async function dropFile(
  page: Page,
  selector: string,
  file: { name: string; type: string; text: string },
): Promise<void> {
  const dataTransfer = await page.evaluateHandle(({ name, type, text }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type }));
    return transfer;
  }, file);
  for (const event of ["dragover", "drop"]) await page.dispatchEvent(selector, event, { dataTransfer });
}

type Finding = { id: string; impact: string; help: string; nodes: { target: string[] }[] };

/** The rules of axe-core that depend on colors, for a second look in the other theme. */
export const colorRules = ["color-contrast", "link-in-text-block"];

/**
 * Everything that axe-core finds wrong for people with disabilities once all is loaded, with the places. `rules`: only
 * these.
 */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A table is dimmed while it loads again.
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await motionEnded(page);
  // Evaluated, not loaded by a tag: the policy of the page forbids that.
  if (!(await page.evaluate(() => "axe" in globalThis)))
    await page.evaluate(await Bun.file(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js")).text());
  const found = await page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Finding[] }> } };
    return (await axe.run({ resultTypes: ["violations"], ...(only && { runOnly: only }) })).violations;
  }, rules);
  return found.map(
    ({ id, impact, help, nodes }) =>
      `${impact}: ${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}

/**
 * Waits until nothing changes its look any more, such as a button that fades to the colors of the other theme.
 * Animations without an end, such as a spinner's, are left alone.
 */
async function motionEnded(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== "running" || effect?.getComputedTiming().endTime === Infinity),
  );
}

/** For `afterAll` of a file with browser tests. */
export async function closeBrowser(): Promise<void> {
  await (await running)?.close();
  running = null;
}

function launch(): Promise<Browser> {
  if (chromiumPath === null)
    throw new Error("Expected Chromium: install it, or name it by the environment variable OUTREACHD_TEST_CHROMIUM");
  // Containers run as root, where Chromium's own sandbox does not work. The pages are our own.
  return chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--use-fake-device-for-media-stream"],
  });
}
