import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

testInBrowser("adds and tests an endpoint, and shows the response in the delivery log", async () => {
  using receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("<b>not today</b>", { status: 500 }),
  });
  await using directory = await createDirectory();
  const env = { OUTREACHD_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" };
  await using server = await startServer(`${directory.path}/data`, { env });
  await using opened = await openSignedIn(server, "/app/settings?part=webhooks");
  const { page, problems } = opened;

  await page.getByRole("button", { name: "Add endpoint" }).click();
  await page.getByLabel("URL").fill(`http://127.0.0.1:${receiver.port}/hook`);
  await page.getByRole("dialog").getByRole("button", { name: "Add endpoint" }).click();
  expect(await page.getByRole("textbox", { name: "Signing secret" }).inputValue()).toStartWith("whsec_");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("link", { name: "/hook" }).click();
  await page.getByRole("button", { name: "Send test event" }).click();
  await page.getByRole("button", { name: "webhook.test" }).click({ timeout: 20_000 });
  await page.getByText("Payload").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Close" }).first().click();
  await page.getByRole("button", { name: "webhook.test" }).click();
  expect(problems).toEqual([]);
});
