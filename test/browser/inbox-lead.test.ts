import { afterAll, expect } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("a stranger becomes a lead, whose values fill the reply before it is sent", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const profileUrl = "https://network.example/in/ada";
  const messages = [{ id: "m1", direction: "incoming", at: new Date().toISOString(), text: "Are you hiring?" }];
  const news = { profileUrl, event: "messages", personName: "Ada Augusta King", messages };
  await callApi(server, "POST", "/network/contacts/events", news);
  await callApi(server, "POST", "/inbox/snippets", { name: "Meeting", text: "Hi {{firstName|there}}, Tuesday at 10?" });
  await using opened = await openSignedIn(server, "/app/inbox");
  const { page, problems } = opened;
  await page.getByText("Ada Augusta King").click();
  const thread = page.getByRole("region", { name: "Ada Augusta King" });
  const preview = thread.locator(".message-preview blockquote");

  await page.getByLabel("Insert a snippet").selectOption({ label: "Meeting" });
  await preview.getByText("Hi there, Tuesday at 10?").waitFor();
  await thread.getByRole("textbox").fill("Hi {{firstName}}!");
  await thread.getByText("This person is no lead and has no value for {{firstName}}.").waitFor();
  expect(await preview.count()).toBe(0);
  await thread.getByRole("textbox").fill("Hi {{firstNam|x}}!");
  await thread.getByText("There is no variable {{firstNam}}.").waitFor();
  expect(await findings(page)).toEqual([]);

  await thread.getByRole("button", { name: "Add to leads" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Profile").inputValue()).toBe(profileUrl);
  await dialog.getByLabel("First name").fill("Ada");
  expect(await dialog.getByLabel("Last name").inputValue()).toBe("Augusta King");
  await dialog.getByLabel("Last name").fill("King");
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Add lead" }).click();
  await page.getByText("Ada King was added.").waitFor();
  const { leads } = await callApi<{ leads: LeadView[] }>(server, "GET", "/leads");
  expect(leads).toMatchObject([{ firstName: "Ada", lastName: "King", networkUrl: profileUrl }]);
  const link = thread.getByRole("heading").getByRole("link");
  await link.waitFor();
  expect(await link.getAttribute("href")).toBe(`/app/leads/${leads[0]?.id}`);
  expect(await thread.getByRole("button", { name: "Add to leads" }).count()).toBe(0);

  await thread.getByRole("textbox").fill("Hi {{firstName}} of {{company}}!");
  await thread.getByText("This lead has no value for {{company}}.").waitFor();
  await thread.getByRole("textbox").fill("Hi {{firstName}}!");
  await preview.getByText("Hi Ada!").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("log").getByText("Hi Ada!").waitFor();
  expect(problems).toEqual([]);
});
