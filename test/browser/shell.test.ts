import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;
const longName = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz".repeat(3);

async function addLeads(server: Server, number: number): Promise<void> {
  const rows = Array.from({ length: number }, (_, index) => `Person ${index},p${index}@example.com`);
  await callApi(server, "POST", "/leads/import", `First name,Email\n${rows.join("\n")}`);
}

testInBrowser("everything is reached from the keyboard: commands, pages, help, and back to where one was", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "POST", "/leads", { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com" });
  await callApi(server, "POST", "/campaigns", { name: "Autumn", steps: [{ type: "wait", days: 1 }] });
  await using opened = await openSignedIn(server, "/");
  const { page, problems } = opened;
  await page.getByRole("heading", { name: "Hello" }).waitFor();
  const search = page.getByRole("combobox", { name: "Search pages" });

  await page.getByRole("button", { name: "Search" }).focus();
  await page.keyboard.press("Enter");
  await search.waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("Search"));

  await page.keyboard.press("Control+k");
  await search.fill("lovelace");
  await page.getByRole("option", { name: "Ada Lovelace" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
  await page.keyboard.press("Control+k");
  await search.fill("autum");
  await page.getByRole("option", { name: "Autumn" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Autumn" }).waitFor();

  await page.keyboard.press("g");
  await page.keyboard.press("q");
  await page.getByRole("heading", { name: "Queue" }).waitFor();
  // Screen readers announce the page, although its code was loaded after its title was shown.
  await page.waitForFunction(() => document.activeElement?.textContent === "Queue");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Work list").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await search.fill("import l");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Import leads" }).waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("Back returns to the place in a long list, and a dialog to the button that opened it", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await addLeads(server, 60);
  await callApi(server, "POST", "/webhooks", { url: "https://hooks.example.com/a" }).catch(() => null);
  await using opened = await openSignedIn(server, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("60 leads").waitFor();
  await page.evaluate(() => scrollTo(0, 900));
  await page.waitForFunction(() => scrollY === 900);
  await page
    .getByRole("link", { name: /^Person/ })
    .nth(20)
    .click();
  await page.getByText("Lead created").waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.goBack();
  await page.waitForFunction(() => scrollY === 900);

  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole("button", { name: "New lead" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.textContent === "New lead");
  // The entry of a menu is gone by then: the button of the menu gets the focus.
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  for (const entry of ["Assign…", "Add to a list…", "Remove a tag…"]) {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: entry }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.textContent === "More");
  }
  expect(problems).toEqual([]);
});

testInBrowser("long names stay within a dialog, and its backdrop covers everything", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "POST", "/leads", { firstName: longName, email: "ada@example.com" });
  const { leads } = await callApi<{ leads: { id: string }[] }>(server, "GET", "/leads");
  await using opened = await openSignedIn(server, `/app/leads/${leads[0]?.id}`, {
    viewport: { width: 390, height: 844 },
  });
  const { page, problems } = opened;
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  const overflow = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(overflow).toBe(0);
  const colors = await page.evaluate(() => [
    getComputedStyle(document.documentElement).backgroundColor,
    getComputedStyle(document.body).backgroundColor,
  ]);
  expect(colors[0]).not.toBe(colors[1]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(problems).toEqual([]);
});

testInBrowser("the first screen loads little, and each page its own code", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openSignedIn(server, "/");
  const { page, problems } = opened;
  await page.getByRole("heading", { name: "Hello" }).waitFor();
  const scripts = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.endsWith(".js"))
        .map((entry) => ({ name: entry.name, bytes: (entry as PerformanceResourceTiming).encodedBodySize })),
    );
  const first = await scripts();
  expect(first.length).toBeGreaterThan(3);
  expect(first.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(120_000);
  // Pointing at a link loads the code of its page.
  await page.getByRole("link", { name: "Voice" }).hover();
  await page.waitForFunction(
    (before) => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).length > before,
    first.length,
  );
  expect(problems).toEqual([]);
});
