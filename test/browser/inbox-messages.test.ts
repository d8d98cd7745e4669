import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;

/** People who wrote, the latest last. */
async function withMessagesOf(server: Server, ...names: string[]): Promise<void> {
  for (const name of names) {
    const news = { profileUrl: `https://network.example/in/${name}`, event: "replied", text: `Hello from ${name}.` };
    await callApi(server, "POST", "/network/contacts/events", news);
  }
}

testInBrowser("unread conversations are worked off with the keyboard: the open one stays until the next", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await withMessagesOf(server, "alan", "grace", "ada");
  await using opened = await openSignedIn(server, "/app/inbox?view=unread");
  const { page, problems } = opened;
  const list = page.getByRole("region", { name: "Conversations" });
  const rows = list.getByRole("listitem");
  await list.getByText("Hello from ada.").waitFor();
  await page.keyboard.press("j");
  await page.getByRole("navigation").getByText("2 unread").waitFor();
  // It was read, and is still there, without its mark.
  await rows.first().getByText("1 unread").waitFor({ state: "detached" });
  expect(await rows.count()).toBe(3);
  await page.keyboard.press("a");
  await rows.first().getByRole("img").waitFor();
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "grace" }).waitFor();
  await list.getByText("Hello from ada.").waitFor({ state: "detached" });
  await page.getByRole("navigation").getByText("1 unread").waitFor();
  await page.keyboard.press("e");
  await page.getByText("Snoozed until tomorrow").first().waitFor();
  await list.getByText("Hello from grace.").waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "alan" }).waitFor();
  // A conversation that is not in the list has the same keys.
  const { conversations } = await callApi<{ conversations: { id: string; profileUrl: string }[] }>(
    ...([server, "GET", "/inbox/conversations?snoozed=include"] as const),
  );
  const ada = conversations.find(({ profileUrl }) => profileUrl.endsWith("/ada"));
  await page.goto(`${server.url}/app/inbox?view=snoozed&c=${ada?.id}`);
  await page.getByRole("heading", { name: "ada" }).waitFor();
  await page.keyboard.press("a");
  await page.getByText("Unassigned.").waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("a conversation is snoozed until a time of one's own, in the user's time zone", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await callApi(server, "PATCH", "/users/me", { timeZone: "Europe/Berlin" });
  await withMessagesOf(server, "ada");
  await using opened = await openSignedIn(server, "/app/inbox");
  const { page, problems } = opened;
  await page.getByText("Hello from ada.").first().click();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Snooze until…" }).click();
  const dialog = page.getByRole("dialog");
  expect(await findings(page)).toEqual([]);
  await dialog.getByLabel("Until").fill("2020-01-06T14:30");
  await dialog.getByRole("button", { name: "Snooze" }).click();
  await dialog.getByText("Expected a time in the future").waitFor();
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel("Until").fill(`${day}T14:30`);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const { conversations } = await callApi<{ conversations: { snoozedUntil: string }[] }>(
    ...([server, "GET", "/inbox/conversations?snoozed=only"] as const),
  );
  const local = new Date(conversations[0]?.snoozedUntil ?? 0).toLocaleString("sv-SE", { timeZone: "Europe/Berlin" });
  expect(local).toBe(`${day} 14:30:00`);
  expect(problems).toEqual([]);
});

testInBrowser("a reply that was not sent is kept by other pages, and a reload asks before it is lost", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await withMessagesOf(server, "ada");
  await using opened = await openSignedIn(server, "/app/inbox");
  const { page, problems } = opened;
  await page.getByText("Hello from ada.").first().click();
  await page.getByLabel("Reply to ada").click();
  await page.keyboard.type("Half a thought");
  await page.getByRole("link", { name: "Leads", exact: true }).click();
  await page.getByRole("heading", { name: "Leads" }).waitFor();
  await page.goBack();
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#reply")?.value === "Half a thought");
  const question = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  const dialog = await question;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  expect(await page.getByLabel("Reply to ada").inputValue()).toBe("Half a thought");
  expect(problems).toEqual([]);
});

testInBrowser("a reply is edited, taken back, and sent after all in the conversation", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const { accounts } = await callApi<{ accounts: { id: string }[] }>(server, "GET", "/network/accounts");
  // What is written waits.
  await callApi(server, "PATCH", `/network/accounts/${accounts[0]?.id}`, { connector: "simulated", state: "paused" });
  await withMessagesOf(server, "ada");
  await using opened = await openSignedIn(server, "/app/inbox");
  const { page, problems } = opened;
  await page.getByText("Hello from ada.").first().click();
  const log = page.getByRole("log");
  await page.getByLabel("Reply to ada").fill("Tuseday works.");
  await page.getByRole("button", { name: "Send" }).click();
  await log.getByText("Tuseday works.").waitFor();
  await log.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Message").fill("Tuesday works.");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await log.getByText("Tuesday works.").waitFor();
  await log.getByRole("button", { name: "Cancel" }).click();
  await log.getByText("Tuesday works.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await log.getByText("Tuesday works.").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});
