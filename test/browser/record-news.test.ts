import { afterAll, expect } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { callApi, hurryAccount } from "../support/server-api.ts";

afterAll(closeBrowser);

type Server = Awaited<ReturnType<typeof startServer>>;

const profileOf = (name: string) => `https://network.example/in/${name}`;

async function lead(server: Server, name: string): Promise<LeadView> {
  return callApi<LeadView>(server, "POST", "/leads", { firstName: name, networkUrl: profileOf(name.toLowerCase()) });
}

async function relationTo(server: Server, name: string): Promise<{ relation: string; repliedAt: string | null }> {
  return callApi(server, "GET", `/network/contacts?profileUrl=${encodeURIComponent(profileOf(name))}`);
}

testInBrowser(
  "a reply and an acceptance are recorded with the mouse, from the lead and from the conversation",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`);
    await callApi(server, "POST", "/network/accounts", { name: "Second" });
    const { id } = await lead(server, "Ada");
    await using opened = await openSignedIn(server, `/app/leads/${id}`);
    const { page, problems } = opened;
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Mark as accepted…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Ada has accepted the connection request.").waitFor();
    await dialog.getByLabel("Account").waitFor();
    expect(await dialog.getByLabel("Account").locator("option").count()).toBe(2);
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Mark as accepted" }).click();
    await page.getByText("Marked as accepted.").waitFor();
    expect(await relationTo(server, "ada")).toMatchObject({ relation: "connected", repliedAt: null });

    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Record a reply…" }).click();
    await page.getByLabel("What the person wrote").fill("Let us talk on Friday.");
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("Reply recorded.").waitFor();
    await page.locator(".last-message").getByText("Let us talk on Friday.").waitFor();
    expect((await relationTo(server, "ada")).repliedAt).not.toBeNull();

    await page
      .locator(".last-message")
      .getByRole("link", { name: /^Reply to/ })
      .click();
    await page.getByRole("log").getByText("Let us talk on Friday.").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Mark as accepted" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Mark as accepted" }).click();
    await page.getByText("Nothing has changed").waitFor();
    expect(problems).toEqual([]);
  },
);

testInBrowser("both are recorded with the keyboard from the work list, where a reply ends the campaign", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await hurryAccount(server);
  const { id } = await lead(server, "Grace");
  const steps = [
    { type: "action", actionType: "visitProfile" },
    { type: "action", actionType: "likePost" },
  ];
  const campaign = await callApi<{ id: string }>(server, "POST", "/campaigns", { name: "Spring", steps });
  await callApi(server, "POST", `/campaigns/${campaign.id}/enroll`, { leadIds: [id] });
  await callApi(server, "POST", `/campaigns/${campaign.id}/start`);
  await eventually("a task", async () =>
    (await callApi<{ total: number }>(server, "GET", "/network/tasks")).total === 1 ? true : null,
  );
  await using opened = await openSignedIn(server, "/app/work");
  const { page, problems } = opened;
  await page.getByText("1 of 1").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("a");
  await page.getByRole("dialog").getByText("has accepted the connection request").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.getByRole("dialog").getByRole("button", { name: "Mark as accepted" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Marked as accepted.").waitFor();
  expect(await relationTo(server, "grace")).toMatchObject({ relation: "connected" });
  await page.keyboard.press("r");
  await page.keyboard.type("Not now. dfs are typed here, and end nothing");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Reply recorded.").waitFor();
  await page.getByText("All done").waitFor();
  const { conversations } = await callApi<{ conversations: { lastMessage: { text: string } }[] }>(
    ...([server, "GET", "/inbox/conversations"] as const),
  );
  expect(conversations.map(({ lastMessage }) => lastMessage.text)).toEqual([
    "Not now. dfs are typed here, and end nothing",
  ]);
  expect(problems).toEqual([]);
});
