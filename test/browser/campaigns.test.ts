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
  await page.getByRole("button", { name: /^Start/ }).focus();
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
