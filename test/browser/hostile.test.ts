import { afterAll, expect } from "bun:test";
import { closeBrowser, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

const hostile = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;
const short = hostile.slice(0, 90);

testInBrowser("every page shows HTML and scripts in records as plain text", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const post = <T = { id: string }>(path: string, body: unknown) => callApi<T>(server, "POST", path, body);
  const profileUrl = `https://network.example/in/${encodeURIComponent("<b>ada</b>")}`;
  await callApi(server, "PATCH", "/users/me", { name: hostile });
  const { accounts } = await callApi<{ accounts: { id: string }[] }>(server, "GET", "/network/accounts");
  const account = `/network/accounts/${accounts[0]?.id}`;
  await callApi(server, "PATCH", account, { name: hostile });
  const texts = ["firstName", "lastName", "company", "title", "industry", "location", "source", "notes"];
  const lead = await post("/leads", {
    ...Object.fromEntries(texts.map((field) => [field, hostile])),
    ...{ networkUrl: profileUrl, tags: [short], customFields: { [short]: hostile } },
  });
  await post("/network/scheduleNetworkAction", {
    ...{ actionType: "sendMessage", profileUrl, leadId: lead.id, message: hostile, requireApproval: true },
  });
  const step = { type: "action", actionType: "sendMessage", message: hostile };
  const campaign = await post("/campaigns", { name: hostile, steps: [step] });
  await post(`/campaigns/${campaign.id}/enroll`, { leadIds: [lead.id] });
  await post("/keys", { name: hostile, permissions: ["leads:read"] });
  await post("/users", { email: "grace@example.com", name: hostile });
  await post("/suppressions", { values: ["keep@example.org"], reason: hostile });
  const url = `https://example.com/${encodeURIComponent(hostile)}`;
  const webhook = await post("/webhooks", { url, description: hostile, events: ["lead.created"] });
  const prospect = `First name,Last name,Company\n${Array(3)
    .fill(`"${hostile.replaceAll('"', '""')}"`)
    .join()}\n`;
  await post("/prospecting/import", prospect);
  await post("/prospecting/searches", { name: hostile, filters: {} });
  await post("/leads/import", `nothing "${hostile}\nhere`).catch(() => {});

  await using opened = await openSignedIn(server, "/");
  const { page, problems } = opened;
  const settings = ["accounts", "suppression", "keys", "webhooks", "users", "audit"];
  const shown: [path: string, text: string][] = [
    ["/", hostile],
    ["/app/leads", hostile],
    [`/app/leads/${lead.id}`, hostile],
    ["/app/queue?tab=approval", hostile],
    ["/app/campaigns", hostile],
    [`/app/campaigns/${campaign.id}`, hostile],
    [`/app/enrichment?lead=${lead.id}`, hostile],
    ["/app/prospects", hostile],
    [`/app${account.replace("/network", "/settings")}`, hostile],
    [`/app/settings/webhooks/${webhook.id}`, hostile],
    ...settings.map((part): [string, string] => [
      `/app/settings?part=${part}`,
      part === "suppression" ? hostile : "<img",
    ]),
  ];
  const unseen: string[] = [];
  for (const [path, text] of shown) {
    // Navigates like a link, without reloading the page.
    await page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
    await page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector("[aria-busy=true]"));
    const isSeen = await page
      .waitForFunction((wanted) => document.body.textContent.includes(wanted), text, { timeout: 5000 })
      .then(
        () => true,
        () => false,
      );
    if (!isSeen) unseen.push(path);
    expect([path, await page.locator("main img, main script, dialog img").count()]).toEqual([path, 0]);
    expect([path, await page.title()]).not.toEqual([path, "hacked"]);
  }
  expect(unseen).toEqual([]);
  expect(problems).toEqual([]);
});

testInBrowser("rejects ten megabytes of pasted text immediately, and keeps the content of the field", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "POST", "/leads", { firstName: "Ada", networkUrl: "https://network.example/in/ada" });
  const permissions = ["clipboard-read", "clipboard-write"];
  await using opened = await openSignedIn(server, "/app/leads", { permissions });
  const { page, problems } = opened;
  await page.getByRole("checkbox", { name: "Select Ada" }).check();
  await page.getByRole("button", { name: "Schedule…" }).click();
  await page.getByLabel("Note").fill("Hello ");
  await page.getByLabel("Note").press("End");
  await page.evaluate(() => navigator.clipboard.writeText("word ".repeat(2_000_000)));
  await page.keyboard.press("Control+V");
  await page.getByText("Text not inserted: it is 10,000,000 characters").waitFor();
  await page.evaluate(() => navigator.clipboard.writeText("Ada"));
  await page.keyboard.press("Control+V");
  expect(await page.getByLabel("Note").inputValue()).toBe("Hello Ada");
  await page.getByRole("button", { name: "Schedule", exact: true }).click();
  await page.getByText("Scheduled for Ada.").waitFor();
  expect(problems).toEqual([]);
});
