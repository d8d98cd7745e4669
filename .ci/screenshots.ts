/**
 * Takes the screenshots of README and docs: `bun run screenshots`. A simulation lives through three weeks, always the same
 * ones, so the pictures change only when the product does. Uses dist/outreachd if it was built.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { live, start } from "../test/support/screenshots-world.ts";

const root = join(import.meta.dir, "..");
const folder = join(root, "docs/images");
const maxBytes = 200_000;

const binary = join(root, "dist/outreachd");
if (existsSync(binary)) process.env["OUTREACHD_TEST_BINARY"] ??= binary;
const { startServer } = await import("../test/support/program.ts");
const { closeBrowser, openSignedIn } = await import("../test/support/browser.ts");

const data = await mkdtemp(join(tmpdir(), "outreachd-screenshots-"));
const args = [
  "--simulate",
  "--simulated-start",
  start,
  "--simulated-seed",
  "7",
  "--simulated-rates",
  "acceptances=55,replies=40",
  "--lead-status",
  "replies",
];
const server = await startServer(join(data, "data"), { args });
try {
  const { campaignId, draftId } = await live(server);
  await mkdir(folder, { recursive: true });
  const pages: Record<string, { path: string; height?: number; prepare?: (page: Page) => Promise<unknown> }> = {
    home: { path: "/", height: 1000 },
    leads: { path: "/app/leads" },
    "campaign-editor": { path: `/app/campaigns/${draftId}`, height: 1000, prepare: openStep },
    "campaign-insight": {
      path: `/app/campaigns/${campaignId}`,
      height: 1000,
      prepare: (page) => page.getByRole("tab", { name: "Insight" }).click(),
    },
    inbox: { path: "/app/inbox", prepare: openConversation },
    prospects: { path: "/app/prospects" },
    voices: { path: "/app/voice", height: 640 },
  };
  for (const [name, shot] of Object.entries(pages))
    for (const colorScheme of ["light", "dark"] as const) {
      if (colorScheme === "dark" && name !== "home") continue;
      await take(colorScheme === "dark" ? `${name}-dark` : name, colorScheme, shot);
    }
} finally {
  await closeBrowser();
  await server.stop();
  await rm(data, { recursive: true, force: true });
}

type Page = Awaited<ReturnType<typeof openSignedIn>>["page"];

async function take(
  name: string,
  colorScheme: "light" | "dark",
  { path, height = 800, prepare }: { path: string; height?: number; prepare?: (page: Page) => Promise<unknown> },
): Promise<void> {
  await using opened = await openSignedIn(server, path, {
    ...{ colorScheme, reducedMotion: "reduce", viewport: { width: 1280, height } },
  });
  const { page } = opened;
  await page.waitForLoadState("load");
  await page.locator("main h1").first().waitFor();
  await prepare?.(page);
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton, .spinner') === null);
  // Only simulations have this bar.
  await page.evaluate(() => document.querySelector(".simulation")?.remove());
  await page.mouse.move(0, 0);
  const file = join(folder, `${name}.png`);
  const { length } = await page.screenshot({ path: file, animations: "disabled", caret: "hide" });
  if (length > maxBytes) throw new Error(`${name}.png has ${length} bytes, expected at most ${maxBytes}`);
  console.log(`${name}.png: ${Math.round(length / 1000)} kB`);
}

async function openConversation(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Conversations" }).getByRole("listitem").first().getByRole("button").click();
  await page.getByRole("log").waitFor();
}

async function openStep(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Steps" }).click();
  await page.getByText("2 variants").first().click();
}
