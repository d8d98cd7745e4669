import { afterAll, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { closeBrowser, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { callApi, hurryAccount } from "../support/server-api.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;

const longName = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(2);

async function addLeads(server: Server, number: number): Promise<void> {
  const rows = Array.from(
    { length: number },
    (_, n) => `Person ${n},https://network.example/in/p${n},${n % 2 ? "Acme" : "Nord"}`,
  );
  await callApi(server, "POST", "/leads/import", `First name,Profile,Company\n${rows.join("\n")}`);
  await eventually("the leads", async () =>
    (await callApi<{ total: number }>(server, "GET", "/leads")).total === number ? true : null,
  );
}

async function boxOf(place: Locator) {
  const box = await place.boundingBox();
  if (box === null) throw new Error("Expected the element to be shown");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height, middle: box.y + box.height / 2 };
}

const backgroundOf = (place: Locator) => place.evaluate((element) => getComputedStyle(element).backgroundColor);

/** As `openSignedIn`, but fails early: what is not shown within seconds never is. */
async function open(...args: Parameters<typeof openSignedIn>): ReturnType<typeof openSignedIn> {
  const opened = await openSignedIn(...args);
  opened.page.setDefaultTimeout(10_000);
  return opened;
}

/** The color of a pixel of the window. */
async function pixel(page: Page, x: number, y: number): Promise<number[]> {
  const shot = await page.screenshot({ animations: "disabled" });
  // The policy of our page forbids images of data URLs.
  const empty = await page.context().newPage();
  const color = await empty.evaluate(
    async ({ data, x, y }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas?.drawImage(image, 0, 0);
      return [...(canvas?.getImageData(x, y, 1, 1).data ?? [])];
    },
    { data: shot.toString("base64"), x, y },
  );
  await empty.close();
  return color;
}

testInBrowser("badges of selected rows stand out, and the bulk bar is one line", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await addLeads(server, 60);
  await using opened = await open(server, "/app/leads");
  const { page, problems } = opened;
  const row = page.getByRole("row").filter({ hasText: "Person 41" });
  await row.waitFor();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await backgroundOf(row.getByText("New"))).not.toBe(await backgroundOf(row));
  }
  const bar = page.getByRole("toolbar", { name: "Selected leads" });
  const remove = bar.getByRole("button", { name: "Delete" });
  const selected = await boxOf(bar.getByRole("button", { name: "Clear selection" }));
  expect(Math.abs(selected.middle - (await boxOf(remove)).middle)).toBeLessThan(2);

  await page.setViewportSize({ width: 390, height: 844 });
  expect((await boxOf(remove)).y).toBe((await boxOf(bar.getByRole("button", { name: "Schedule…" }))).y);
  // The bar scrolls sideways and must not cut its menus off.
  await bar.getByRole("button", { name: "Set status" }).click();
  await bar.getByRole("button", { name: "Contacted" }).click();
  await page.getByText("50 leads set to Contacted.").waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("labels of charts have a place beside the bars, and days are those of the execution", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`, {
    args: ["--simulate", "--simulated-start", "2026-03-02T07:30:00Z"],
  });
  await hurryAccount(server);
  const { accounts } = await callApi<{ accounts: { id: string }[] }>(server, "GET", "/network/accounts");
  await callApi(server, "PATCH", `/network/accounts/${accounts[0]?.id}`, { connector: "manual" });
  const visit = { actionType: "visitProfile", profileUrl: "https://network.example/in/ada" };
  const notBefore = "2026-03-04T09:00:00Z";
  await callApi(server, "POST", "/network/scheduleNetworkAction", { ...visit, notBefore });
  await callApi(server, "POST", "/simulation/clock", { advance: "P3D" });
  await using opened = await open(server, "/");
  const { page, problems } = opened;
  const chart = page.locator(".card").filter({ has: page.getByRole("heading", { name: "Jobs by day" }) });
  await chart.locator("tbody tr").first().waitFor({ state: "attached" });
  const label = await boxOf(chart.locator(".chart-top"));
  expect(label.right).toBeLessThanOrEqual((await boxOf(chart.locator("svg"))).x);

  // Scheduled on the 2nd for the 4th; since then, it waits for a person: it is not running.
  const days = await chart
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent).join(" ")));
  expect(days).toEqual(["2026-03-04 0 0 1 0"]);
  expect(problems).toEqual([]);
});

testInBrowser("keycaps are level with the text of their buttons", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await hurryAccount(server);
  await callApi(server, "POST", "/network/scheduleNetworkAction", {
    ...{ actionType: "sendMessage", profileUrl: "https://network.example/in/ada", message: "Hello" },
  });
  await using opened = await open(server, "/app/work");
  const { page, problems } = opened;
  await page.getByText("1 of 1").waitFor();
  for (const name of ["Search Ctrl K", "Copy text C", "Done D", "Failed F", "Skip S"]) {
    const button = page.getByRole("button", { name });
    const distance = (await boxOf(button.locator("kbd"))).middle - (await boxOf(button)).middle;
    expect({ name, isLevel: Math.abs(distance) <= 1 }).toEqual({ name, isLevel: true });
  }
  expect(problems).toEqual([]);
});

testInBrowser("percentages stay on one line, however narrow", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`, {
    args: [
      ...["--simulate", "--simulated-start", "2026-03-02T07:30:00Z", "--simulated-seed", "7"],
      ...["--simulated-rates", "acceptances=55,replies=40"],
    ],
  });
  await hurryAccount(server);
  const { accounts } = await callApi<{ accounts: { id: string }[] }>(server, "GET", "/network/accounts");
  await callApi(server, "PATCH", `/network/accounts/${accounts[0]?.id}`, { connector: "simulated" });
  const rows = Array.from({ length: 37 }, (_, n) => `Person ${n},https://network.example/in/p${n},spring`);
  await callApi(server, "POST", "/leads/import", `First name,Profile,Tags\n${rows.join("\n")}`);
  await callApi(server, "POST", "/simulation/clock", { advance: "PT1M" });
  const variants = ["Hi", "Hello"].map((message) => ({ name: message, weight: 1, message }));
  const { id } = await callApi<{ id: string }>(server, "POST", "/campaigns", {
    name: "Spring",
    steps: [{ type: "action", actionType: "sendConnectionRequest", variants }],
  });
  await callApi(server, "POST", `/campaigns/${id}/enroll`, { tag: "spring" });
  await callApi(server, "POST", `/campaigns/${id}/start`);
  await callApi(server, "POST", "/simulation/clock", { advance: "P8D" });
  await using opened = await open(server, `/app/campaigns/${id}`, { viewport: { width: 360, height: 740 } });
  const { page, problems } = opened;
  for (const tab of ["Overview", "Insight", "Steps"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.getByText(/\d ?%/).first().waitFor();
    expect(await wrappedPercentages(page)).toEqual([]);
  }
  expect(problems).toEqual([]);
});

/** Percentages that are on more than one line. */
function wrappedPercentages(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrapped: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
      for (const { index, 0: found } of (node.textContent ?? "").matchAll(/[\d.]+\s?%/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + found.length);
        if (range.getClientRects().length > 1) wrapped.push(found);
      }
    return wrapped;
  });
}

testInBrowser(
  "the fields for a range of revenue have one height, and the backdrop of a dialog has no gap",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`);
    await callApi(server, "POST", "/prospecting/import", "name,email,company\nAda,ada@acme.example,Acme");
    await using opened = await open(server, "/app/prospects");
    const { page, problems } = opened;
    await page.getByText("Revenue", { exact: true }).click();
    await page.locator(".revenue input").nth(1).waitFor();
    // At one moment: what loads above moves both.
    const [from, to] = await page.locator(".revenue input").evaluateAll((fields) =>
      fields.map((field) => {
        const { y, height } = field.getBoundingClientRect();
        return { y, height };
      }),
    );
    expect(from).toBeDefined();
    expect(to).toEqual(from);

    await page.goto(`${server.url}/app/leads`);
    await page.getByRole("button", { name: "New lead" }).click();
    await page.getByRole("dialog").waitFor();
    // The gutter of the scroll bar is 15 pixels wide. Both colors are mixed, so they can differ by rounding.
    const inGutter = await pixel(page, 1279, 780);
    const inPage = await pixel(page, 1255, 780);
    expect(inGutter.map((value, n) => Math.abs(value - (inPage[n] ?? 0)) <= 1)).toEqual([true, true, true, true]);
    expect(problems).toEqual([]);
  },
);

testInBrowser("setting and clearing filters does not move the controls", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await addLeads(server, 4);
  await using opened = await open(server, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("4 leads").waitFor();
  const controls = () =>
    Promise.all(
      [
        page.getByPlaceholder("Name, email"),
        page.getByRole("button", { name: "Filter", exact: true }),
        page.getByRole("button", { name: "Columns" }),
      ].map(async (place) => (await boxOf(place)).x),
    );
  const before = await controls();
  await page.getByPlaceholder("Name, email").fill("person");
  await page.waitForURL(/q=person/);
  expect(await controls()).toEqual(before);
  await page.goto(`${server.url}/app/leads?companyContains=acme`);
  await page.getByText("2 leads found").waitFor();
  expect(await controls()).toEqual(before);
  await page.getByRole("link", { name: "Clear" }).click();
  await page.getByText("4 leads", { exact: true }).waitFor();
  expect(await controls()).toEqual(before);
  expect(problems).toEqual([]);
});

testInBrowser("no page has two primary buttons, whether its list is empty or not", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await open(server, "/");
  const { page, problems } = opened;
  const settings = ["accounts", "suppression", "keys", "webhooks", "providers", "people", "users", "backups"];
  const paths = [
    ...["/", "/app/leads", "/app/leads/import", "/app/queue", "/app/work", "/app/campaigns", "/app/prospects"],
    ...["/app/enrichment", "/app/voice", "/app/inbox", ...settings.map((part) => `/app/settings?part=${part}`)],
  ];
  for (const fill of [() => Promise.resolve(), () => fillLists(server)]) {
    await fill();
    for (const path of paths) {
      await page.goto(server.url + path);
      await page.locator("main h1").first().waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .skeleton') === null);
      const primary = await page.locator("main .button.primary:visible").allTextContents();
      expect({ path, primary, isOne: primary.length < 2 }).toMatchObject({ path, isOne: true });
    }
  }
  expect(problems).toEqual([]);
});

async function fillLists(server: Server): Promise<void> {
  await addLeads(server, 2);
  await callApi(server, "POST", "/campaigns", { name: "Autumn", steps: [{ type: "wait", days: 1 }] });
  await callApi(server, "POST", "/prospecting/import", "name,email,company\nAda,ada@acme.example,Acme");
  const visit = { actionType: "visitProfile", profileUrl: "https://network.example/in/ada" };
  await callApi(server, "POST", "/network/scheduleNetworkAction", { ...visit, requireApproval: true });
}

testInBrowser("a list of exactly one page ends there, and an emptied last page leads back", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await addLeads(server, 50);
  await using opened = await open(server, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("1–50 of 50").waitFor();
  expect(await page.getByRole("button", { name: "Next page" }).isDisabled()).toBe(true);

  await page.goto(`${server.url}/app/leads?offset=50`);
  await page.getByText("No more entries.").waitFor();
  await page.getByRole("button", { name: "Previous page" }).click();
  await page.getByText("1–50 of 50").waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("a lead leads back to the filters, the page, and the place of the list", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await addLeads(server, 220);
  await using opened = await open(server, "/app/leads?companyContains=acme&sort=firstName");
  const { page, problems } = opened;
  await page.getByText("110 leads found").waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("51–100 of 110").waitFor();
  const list = page.url();

  async function followLead(): Promise<void> {
    await page.evaluate(() => scrollTo(0, 1000));
    await page.waitForFunction(() => scrollY === 1000);
    // Positions are remembered with the next frame.
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await page
      .getByRole("link", { name: /^Person/ })
      .nth(30)
      .click();
    await page.getByText("Lead created").waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(0);
  }
  async function expectList(): Promise<void> {
    await page.getByText("51–100 of 110").waitFor();
    await page.waitForFunction(() => scrollY === 1000);
    expect(page.url()).toBe(list);
  }

  await followLead();
  await page.goBack();
  await expectList();
  await followLead();
  await page.locator("a.back").click();
  await expectList();
  // A reload of the lead forgets nothing.
  await followLead();
  await page.reload();
  await page.getByText("Lead created").waitFor();
  await page.locator("a.back").click();
  await expectList();
  // Nor does a visit elsewhere, unlike the menu, which opens the whole list.
  await followLead();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByText("51–100 of 109").waitFor();
  await page.waitForFunction(() => scrollY === 1000);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Leads" }).click();
  await page.getByText("1–50 of 219").waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  expect(problems).toEqual([]);
});

testInBrowser("Back from a lead returns to the page of a list without page numbers", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await addLeads(server, 51);
  const steps = [{ type: "wait", days: 1 }];
  const { id } = await callApi<{ id: string }>(server, "POST", "/campaigns", { name: "Autumn", steps });
  const { leads } = await callApi<{ leads: { id: string }[] }>(server, "GET", "/leads?limit=100");
  await callApi(server, "POST", `/campaigns/${id}/enroll`, { leadIds: leads.map((lead) => lead.id) });
  await callApi(server, "POST", `/campaigns/${id}/start`);
  await using opened = await open(server, `/app/campaigns/${id}?part=follow`);
  const { page, problems } = opened;
  const rows = page.getByRole("region", { name: "Enrolled leads" }).locator("tbody tr:not(.skeleton-row)");
  await rows.nth(49).waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await rows.nth(1).waitFor({ state: "detached" });
  const last = await rows.getByRole("link").textContent();
  await rows.getByRole("link").click();
  await page.getByText("Lead created").waitFor();
  await page.goBack();
  await rows.first().waitFor();
  expect(await rows.getByRole("link").allTextContents()).toEqual([last ?? ""]);
  await page.getByRole("button", { name: "Previous page" }).click();
  await rows.nth(49).waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("names without spaces keep the text of dialogs in view", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const { id } = await callApi<{ id: string }>(server, "POST", "/leads", {
    ...{ firstName: longName, company: longName, email: "ada@example.com", networkUrl: "https://network.example/in/a" },
  });
  await callApi(server, "POST", "/leads", { firstName: longName, email: "b@example.com" });
  await callApi(server, "POST", "/campaigns", { name: longName, steps: [{ type: "wait", days: 1 }] });
  const viewport = { width: 390, height: 844 };
  await using opened = await open(server, `/app/leads/${id}`, { viewport });
  const { page, problems } = opened;
  const dialog = page.getByRole("dialog");
  const expectInView = async (name: string) => {
    await dialog.waitFor();
    const overflow = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect({ name, overflow }).toEqual({ name, overflow: 0 });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };
  await page.getByRole("button", { name: "Schedule…" }).click();
  await expectInView("Schedule");
  for (const name of ["Merge with another lead…", "Export this person…", "Erase this person…", "Delete…"]) {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name }).click();
    await expectInView(name);
  }
  await page.goto(`${server.url}/app/leads`);
  await page.getByText("2 leads").waitFor();
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  for (const name of ["Schedule…", "Enroll…", "Delete"]) {
    await page.getByRole("toolbar").getByRole("button", { name, exact: true }).click();
    await expectInView(name);
  }
  expect(problems).toEqual([]);
});
