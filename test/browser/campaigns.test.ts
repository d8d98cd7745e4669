import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

const titles = (page: Page) => page.locator(".flow-node strong").allTextContents();
const firstTemplate = ["Start", "Profile visit", "Wait 1 day", "Connection request", "Connected?"];

testInBrowser(
  "a salesperson builds a campaign with the mouse, previews, fills, starts, and pauses it",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`);
    const headers = { "x-api-key": server.firstRun?.key ?? "", "content-type": "application/json" };
    const lead = (firstName: string, more: object) =>
      fetch(`${server.url}/api/v2/leads`, {
        method: "POST",
        headers,
        body: JSON.stringify({ firstName, lastName: "<i>Byron</i>", company: "Acme", tags: ["spring"], ...more }),
      });
    await lead("Nobody", {});
    await lead("Ada", { networkUrl: "https://www.linkedin.com/in/ada-byron" });
    await using opened = await openSignedIn(server, "/app/campaigns");
    const { page, problems } = opened;

    await page.getByRole("link", { name: "Create campaign" }).click();
    await page.getByRole("button", { name: "Connect and follow up" }).click();
    await page.getByLabel("Name").fill("Spring");
    expect((await titles(page)).slice(0, 5)).toEqual(firstTemplate);
    expect(await findings(page)).toEqual([]);

    // A step is inserted on a line, dragged to another one, and that is undone.
    await page.getByRole("button", { name: "Add a step after step 2" }).click();
    await page.getByRole("menuitem", { name: "Wait" }).click();
    await page.getByLabel("Days", { exact: true }).fill("0");
    await page.getByRole("button", { name: /^Step 3: Wait no time/ }).waitFor();
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("A wait needs days or hours.").first().waitFor();
    await page.getByLabel("Days", { exact: true }).fill("3");
    const dragged = await page.getByRole("button", { name: /^Step 3: Wait 3 days/ }).boundingBox();
    const target = await page.getByRole("button", { name: "Add the first step", exact: true }).boundingBox();
    await page.mouse.move(dragged!.x + 60, dragged!.y + 30);
    await page.mouse.down();
    await page.mouse.move(target!.x + 12, target!.y + 20, { steps: 8 });
    await page.mouse.move(target!.x + 12, target!.y + 12);
    await page.mouse.up();
    expect((await titles(page)).slice(0, 3)).toEqual(["Start", "Wait 3 days", "Profile visit"]);
    await page.getByRole("button", { name: "Undo" }).click();
    expect((await titles(page)).slice(0, 4)).toEqual(["Start", "Profile visit", "Wait 1 day", "Wait 3 days"]);

    // The note is counted as it is typed, and shown as a lead receives it.
    await page.getByRole("button", { name: /^Step 4: Connection request/ }).click();
    await page.getByText("What Ada <i>Byron</i> receives").waitFor();
    await page.getByLabel("Note").fill("x".repeat(301));
    await page.getByText("301 / 300").waitFor();
    await page.getByLabel("Note").fill("Hello ");
    await page.getByLabel("Insert a variable").selectOption("Company");
    await page.locator(".message-preview blockquote").getByText("Hello Acme").waitFor();
    expect(await findings(page)).toEqual([]);

    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Steps for the first lead").waitFor();
    await page.getByText("4. Connection request").first().waitFor();
    expect(await findings(page)).toEqual([]);

    await page.getByRole("button", { name: "Enroll leads" }).click();
    await page.getByLabel("All leads with the tag").fill("spring");
    await page.getByRole("button", { name: "Check leads" }).click();
    await page.getByText("The lead has no profile URL.: 1").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Enroll 1 lead" }).click();
    await page.getByRole("link", { name: "Ada <i>Byron</i>" }).waitFor();

    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "Start campaign" }).click();
    await page.getByText("Spring has started.").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("tab", { name: "Steps" }).click();
    await page.getByText("Pause the campaign to change its steps.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.getByRole("button", { name: /^Step 2: Wait 1 day/ }).click();
    await page.getByLabel("Days", { exact: true }).fill("2");

    // Unsaved changes hold a link, and the window, until they are saved.
    await page.getByRole("link", { name: "Leads", exact: true }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.").first().waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Remove Ada <i>Byron</i>" }).click();
    await page.getByText("Removed by a user").first().waitFor();
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("heading", { name: "Spring (copy)" }).waitFor();
    expect(problems).toEqual([]);
  },
  90_000,
);

testInBrowser("a campaign is built by the keyboard alone, on a small screen and in the dark", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const options = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;
  await using opened = await openSignedIn(server, "/app/campaigns/new", options);
  const { page, problems } = opened;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.getByRole("button", { name: "Blank campaign" }).focus();
  await press("Enter");
  await page.getByLabel("Name").fill("By keys");
  await page.locator("[data-flow=start]").focus();
  await press("a", "Enter");
  await page.getByRole("button", { name: /^Step 1: Connection request/ }).waitFor();
  await press("a", "b", "Enter");
  // Into the empty side if yes, from there to the other side.
  await press("ArrowDown", "a", "m", "Enter");
  await page.getByRole("button", { name: /^Step 3, if yes: Message/ }).waitFor();
  await press("ArrowRight", "Insert", "w", "Enter");
  expect(await titles(page)).toEqual(["Start", "Connection request", "Connected?", "Message", "Wait 2 days"]);
  await press("Alt+ArrowUp");
  expect(await titles(page)).toEqual(["Start", "Connection request", "Wait 2 days", "Connected?", "Message"]);
  await press("Control+z", "Control+d", "Delete");
  expect(await titles(page)).toEqual(["Start", "Connection request", "Connected?", "Message", "Wait 2 days"]);
  await press("ArrowLeft", "Enter");
  await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
  await page.getByLabel("Message").fill("Thank you!");
  await press("Escape");
  await page.waitForFunction(() => (document.activeElement as HTMLElement).dataset["flow"] === "1.yes.0");
  await press("0");
  expect(await findings(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await press("Control+s");
  await page.getByText("Steps for the first lead").waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("a long campaign is zoomed and followed, and its texts are shown with any lead", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const headers = { "x-api-key": server.firstRun?.key ?? "", "content-type": "application/json" };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.url}/api/v2${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { data: { id: string } }).data;
  };
  // The only one with a custom field is older than the first page of the list.
  await post("/leads", { firstName: "Grace", lastName: "Hopper", company: "Navy", customFields: { Ship: "Hopper" } });
  const others = Array.from({ length: 60 }, (_, n) => `Other${n},Person,o${n}@example.com`).join("\n");
  await fetch(`${server.url}/api/v2/leads/import`, {
    ...{ method: "POST", headers: { ...headers, "content-type": "text/csv" } },
    body: `firstName,lastName,email\n${others}\n`,
  });
  const waits = Array.from({ length: 24 }, (_, n) => ({ type: "wait", days: n + 1 }));
  const note = { type: "action", actionType: "sendConnectionRequest", message: "Hello {{firstName|there}}" };
  const { id } = await post("/campaigns", { name: "Long", steps: [note, ...waits] });
  await using opened = await openSignedIn(server, `/app/campaigns/${id}?part=steps`, { hasTouch: true });
  const { page, problems } = opened;
  const flow = page.getByRole("group", { name: "Flow of the campaign" });
  const scale = async () => Number((await page.locator(".flow-zoom .number").textContent())?.replace(" %", ""));
  const isShown = async (name: RegExp) => {
    const [frame, node] = [await flow.boundingBox(), await page.getByRole("button", { name }).boundingBox()];
    return node!.y >= frame!.y && node!.y + node!.height <= frame!.y + frame!.height;
  };

  await page.getByRole("button", { name: /^Step 1: Connection request/ }).click();
  await page.getByLabel("Preview with").click();
  await page.getByRole("option", { name: "No lead (fallbacks)" }).waitFor();
  await page.getByLabel("Preview with").fill("hopp");
  await page.getByRole("option", { name: /^Grace Hopper/ }).waitFor();
  expect(await findings(page)).toEqual([]);
  await shoot(page, "picker-1280");
  await page.keyboard.press("Enter");
  await page.locator(".message-preview blockquote").getByText("Hello Grace").waitFor();
  await page.getByLabel("Note").fill("Ahoy ");
  await page.getByLabel("Insert a variable").selectOption("Ship");
  await page.locator(".message-preview blockquote").getByText("Ahoy Hopper").waitFor();

  // By the wheel, as trackpads report a pinch, and by two fingers.
  const start = await scale();
  const box = await flow.boundingBox();
  await page.mouse.move(box!.x + 200, box!.y + 200);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 150);
  await page.keyboard.up("Control");
  await page.waitForFunction(
    (before) => document.querySelector(".flow-zoom .number")?.textContent !== `${before} %`,
    start,
  );
  const zoomedOut = await scale();
  expect(zoomedOut).toBeLessThan(start);
  const touch = await page.context().newCDPSession(page);
  const fingers = (type: "touchStart" | "touchMove" | "touchEnd", apart: number | null) =>
    touch.send("Input.dispatchTouchEvent", {
      type,
      touchPoints:
        apart === null
          ? []
          : [-1, 1].map((side, finger) => ({ x: box!.x + 200 + side * apart, y: box!.y + 300, id: finger })),
    });
  await fingers("touchStart", 40);
  for (const apart of [45, 50, 55, 60]) await fingers("touchMove", apart);
  await fingers("touchEnd", null);
  expect(await scale()).toBeGreaterThan(zoomedOut * 1.3);

  // The flow follows the step that is selected, and one that is added at the end.
  await page.locator("[data-flow=start]").focus();
  for (let n = 0; n < 26; n++) await page.keyboard.press("ArrowDown");
  expect(await isShown(/^End/)).toBe(true);
  await page.keyboard.press("a");
  await page.keyboard.press("w");
  await page.keyboard.press("Enter");
  const added = /^Step 26: Wait 2 days/;
  await page.getByRole("button", { name: added }).waitFor();
  await page.waitForTimeout(200);
  expect(await isShown(added)).toBe(true);
  await shoot(page, "flow-followed");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("button", { name: /^Step 1: Connection request/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Preview with").click();
  await page.getByRole("option", { name: "No lead (fallbacks)" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await shoot(page, "picker-dark");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel("Preview with").scrollIntoViewIfNeeded();
  expect(await findings(page)).toEqual([]);
  await shoot(page, "picker-390");
  expect(problems).toEqual([]);
});

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["OUTREACHD_TEST_SCREENSHOTS"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
