import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import type { LeadView } from "../../src/features/leads/model.ts";
import { closeBrowser, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { callApi, hurryAccount } from "../support/server-api.ts";

afterAll(closeBrowser);

const profileUrl = "https://network.example/in/ada";
const mostTabs = 120;

/** Presses Tab until the control with this name has the focus, as a person does who has no mouse; the focus is visible. */
async function tabTo(page: Page, name: string | RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const seen: string[] = [];
  for (let n = 0; n < mostTabs; n++) {
    await page.keyboard.press(key);
    const focused = page.locator(":focus");
    if ((await focused.count()) === 0) continue;
    const snapshot = await focused.ariaSnapshot();
    const named = /^- \w+(?: "(.*?)")?/.exec(snapshot)?.[1] ?? "";
    seen.push(named);
    if (typeof name === "string" ? named !== name : !name.test(named)) continue;
    expect({ name: named, isVisible: await focused.evaluate(isFocusVisible) }).toEqual({
      name: named,
      isVisible: true,
    });
    return;
  }
  throw new Error(`Expected Tab to reach ${String(name)}, got ${seen.join(", ")}`);
}

/** Runs in the page: has an outline, and is not beside the window or below something else. */
function isFocusVisible(element: Element): boolean {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { left, top, width, height } = element.getBoundingClientRect();
  const above = document.elementFromPoint(left + width / 2, top + height / 2);
  return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 && element.contains(above);
}

testInBrowser("leads are filtered, tagged, opened, and scheduled by the keyboard alone", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "POST", "/network/accounts", { name: "Main" });
  const ada = await callApi<LeadView>(server, "POST", "/leads", {
    ...{ firstName: "Ada", lastName: "Lovelace", company: "Engines", networkUrl: profileUrl },
  });
  await callApi(server, "POST", "/leads", { firstName: "Grace", company: "Navy", email: "grace@example.com" });
  await using opened = await openSignedIn(server, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("2 leads").waitFor();

  await tabTo(page, "Filter");
  await page.keyboard.press("Enter");
  await tabTo(page, "Company");
  await page.keyboard.press("Enter");
  await page.keyboard.type("eng");
  // All that was typed, at once, as by a person who types quickly.
  expect(await page.getByRole("combobox", { name: "Company" }).inputValue()).toBe("eng");
  await page.getByRole("option", { name: "Engines" }).waitFor();
  expect(await page.getByRole("option", { name: "Navy" }).count()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("1 lead found").waitFor();
  await page.keyboard.press("Escape");

  await tabTo(page, "Select Ada Lovelace");
  await page.keyboard.press("Space");
  await tabTo(page, "Add tag", "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.type("spring");
  await page.keyboard.press("Enter");
  await page.getByText("1 lead tagged spring.").waitFor();
  expect((await callApi<LeadView>(server, "GET", `/leads/${ada.id}`)).tags).toEqual(["spring"]);

  await tabTo(page, "Ada Lovelace");
  await page.keyboard.press("Enter");
  await page.getByText("Lead created").waitFor();
  await tabTo(page, "Schedule…");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, "Action");
  await page.keyboard.type("Profile");
  await tabTo(page, "Schedule");
  await page.keyboard.press("Enter");
  await page.getByText("Scheduled for Ada Lovelace.").waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Schedule…");
  const { actions } = await callApi<{ actions: { actionType: string }[] }>(server, "GET", "/network/actions");
  expect(actions.map(({ actionType }) => actionType)).toEqual(["visitProfile"]);
  expect(problems).toEqual([]);
});

testInBrowser("a reply is written, and the theme is changed, by the keyboard alone", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await hurryAccount(server);
  await callApi(server, "POST", "/network/contacts/events", { profileUrl, event: "replied", text: "How much is it?" });
  await using opened = await openSignedIn(server, "/", { colorScheme: "light" });
  const { page, problems } = opened;
  await page.getByRole("heading", { name: "Hello" }).waitFor();
  // The link over the menu leads to the page.
  await tabTo(page, "Skip to content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.locator("main :focus").count()).toBe(1);

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search pages" }).waitFor();
  await page.keyboard.type("inbox");
  await page.keyboard.press("Enter");
  await page.getByText("How much is it?").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("log").waitFor();
  await tabTo(page, /^Reply to/);
  await page.keyboard.type("Five euros.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("Five euros.").waitFor();
  const sent = await eventually("the reply", async () => {
    const { actions } = await callApi<{ actions: { message: string | null }[] }>(server, "GET", "/network/actions");
    return actions.length > 0 ? actions : null;
  });
  expect(sent.map(({ message }) => message)).toEqual(["Five euros."]);

  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dark theme");
  await page.getByRole("option", { name: "Dark theme" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction((before) => getComputedStyle(document.body).backgroundColor !== before, light);
  await tabTo(page, "Theme");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction((before) => getComputedStyle(document.body).backgroundColor === before, light);
  expect(problems).toEqual([]);
});
