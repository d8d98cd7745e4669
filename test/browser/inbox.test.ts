import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;

const profileOf = (name: string) => `https://network.example/in/${name}`;

/** What people wrote, the latest last. */
async function write(server: Server, name: string, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const news = { profileUrl: profileOf(name), event: "replied", text };
    await callApi(server, "POST", "/network/contacts/events", news);
  }
}

async function withReplies(server: Server): Promise<void> {
  const lead = { networkUrl: profileOf("ada"), firstName: "Ada", lastName: "Lovelace", company: "Engines" };
  const { id } = await callApi<{ id: string }>(server, "POST", "/leads", lead);
  await callApi(server, "POST", "/network/actions/record", {
    ...{ actionType: "sendMessage", profileUrl: profileOf("ada"), leadId: id },
    message: "Hi Ada, how do you plan your outreach today?",
  });
  await callApi(server, "POST", "/inbox/snippets", { name: "Meeting", text: "Hi {{firstName|there}}, Tuesday at 10?" });
  await write(server, "grace", "No, thank you. We have just chosen another product.");
  await write(server, "alan", "שלום! אפשר לדבר מחר?", "<b>And what does it cost?</b>");
  await write(server, "ada", "Thanks for your message. Could you show me how it works?");
}

testInBrowser("a salesperson answers, labels, and assigns with the mouse; a second tab follows", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await withReplies(server);
  await using opened = await openSignedIn(server, "/app/inbox");
  const { page, problems } = opened;
  const list = page.getByRole("region", { name: "Conversations" });
  await list.getByText("Ada Lovelace").waitFor();
  expect(await page.getByRole("navigation").getByText("3 unread").count()).toBe(1);
  expect(await findings(page)).toEqual([]);
  await list.getByText("Ada Lovelace").click();
  const thread = page.getByRole("region", { name: "Ada Lovelace" });
  const log = page.getByRole("log");
  await log.getByText("Could you show me how it works?").waitFor();
  await page.getByRole("navigation").getByText("2 unread").waitFor();
  await page.getByLabel("Insert a snippet").selectOption({ label: "Meeting" });
  // As long as what she receives.
  await page.getByText("22 / 8,000").waitFor();
  await page.getByText("What Ada Lovelace receives").waitFor();
  expect(await page.locator(".message-preview blockquote").innerText()).toBe("Hi Ada, Tuesday at 10?");
  expect(await findings(page)).toEqual([]);
  const { pathname, search } = new URL(page.url());
  await using other = await openSignedIn(server, pathname + search);
  const second = other.page;
  await second.getByRole("log").getByText("how it works?").waitFor();
  // Two clicks, one reply.
  await page.getByRole("button", { name: "Send" }).dblclick();
  await log.getByText("Hi Ada, Tuesday at 10?").waitFor();
  const sentAt = performance.now();
  await second.getByRole("log").getByText("Hi Ada, Tuesday at 10?").waitFor();
  expect(performance.now() - sentAt).toBeLessThan(5_000);
  expect(await log.getByText("Hi Ada, Tuesday at 10?").count()).toBe(1);
  await thread.getByLabel("Label").selectOption({ label: "Interested" });
  await list
    .getByRole("button", { name: /Ada Lovelace/ })
    .getByText("Interested")
    .waitFor();
  await page.getByLabel("Assigned to").selectOption({ index: 1 });
  await page.getByRole("button", { name: "Mine" }).click();
  await list.getByText("grace").waitFor({ state: "detached" });
  expect(await list.getByRole("listitem").count()).toBe(1);
  await page.getByRole("button", { name: "Replies" }).click();
  await list.getByText("grace").click();
  await page.getByRole("region", { name: "grace" }).getByLabel("Label").selectOption({ label: "Do not contact" });
  await page.getByRole("button", { name: "Do not contact" }).click();
  await page.getByText("grace must not be contacted again.").waitFor();
  const check = await callApi<{ doNotContact: boolean }>(server, "POST", "/suppressions/check", {
    networkUrl: profileOf("grace"),
  });
  expect(check.doNotContact).toBe(true);
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

testInBrowser("the same with the keyboard, and a reply that the network did not report", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await withReplies(server);
  await using opened = await openSignedIn(server, "/app/inbox");
  const { page, problems } = opened;
  const list = page.getByRole("region", { name: "Conversations" });
  await list.getByText("Ada Lovelace").waitFor();
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "alan" }).waitFor();
  // Markup is text.
  await page.getByRole("log").getByText("<b>And what does it cost?</b>").waitFor();
  await page.keyboard.press("a");
  await list.getByRole("button", { name: /alan/ }).getByRole("img").waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("It depends. jkeal are typed here, and do nothing");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("It depends.").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  await page.getByText("Snoozed until tomorrow").first().waitFor();
  await list.getByText("alan").waitFor({ state: "detached" });
  await page.keyboard.press("z");
  await list.getByText("alan").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("another prod");
  await list.getByText("grace").waitFor();
  await list.getByText("Ada Lovelace").waitFor({ state: "detached" });
  await list.getByText("grace").click();
  await page.getByRole("heading", { name: "grace" }).waitFor();
  await page.getByLabel("Label", { exact: true }).last().selectOption("interested");
  await page.getByText("Labeled Interested.").waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByText("Undone.").last().waitFor();
  await page.waitForFunction(() => document.querySelector<HTMLSelectElement>("#label")?.value === "");
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Record a reply" }).click();
  await page.getByLabel("What the person wrote").fill("On second thought: yes!");
  await page.getByRole("button", { name: "Record", exact: true }).click();
  await page.getByRole("log").getByText("On second thought: yes!").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

testInBrowser("a phone shows the list or the conversation, in the dark, too", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await withReplies(server);
  const phone = { viewport: { width: 390, height: 780 }, colorScheme: "dark", hasTouch: true } as const;
  await using opened = await openSignedIn(server, "/app/inbox", phone);
  const { page, problems } = opened;
  await page.getByText("Ada Lovelace").waitFor();
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBeLessThanOrEqual(390);
  expect(await findings(page)).toEqual([]);
  await page.getByText("Ada Lovelace").tap();
  await page.getByRole("log").getByText("how it works?").waitFor();
  expect(await page.getByRole("region", { name: "Conversations" }).isVisible()).toBe(false);
  expect(await width()).toBeLessThanOrEqual(390);
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Inbox" }).tap();
  await page.getByText("grace").waitFor();
  expect(problems).toEqual([]);
});
