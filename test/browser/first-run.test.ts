import { afterAll, expect } from "bun:test";
import { closeBrowser, dropFile, findings, openPage, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";

afterAll(closeBrowser);

const people = "Name,Email,Profile\nAda Lovelace,ada@example.com,https://network.example/in/ada\n";

testInBrowser("first run, from the sign-in link to the first scheduled action", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openPage(server.signInUrl ?? "");
  const { page, problems } = opened;
  const goOn = () => page.getByRole("button", { name: "Continue" }).click();

  await page.getByLabel("Your name").fill("Grace");
  expect(await page.getByLabel("Time zone").inputValue()).toBe("UTC");
  expect(await findings(page)).toEqual([]);
  await goOn();
  await page.getByRole("checkbox", { name: "Sat" }).check();
  await page.getByLabel("From").fill("10:00");
  expect(await findings(page)).toEqual([]);
  await goOn();
  await page.getByRole("radio", { name: /Simulated/ }).check();
  expect(await findings(page)).toEqual([]);
  await goOn();
  await page.getByLabel("Drop a file here").waitFor();
  await dropFile(page, ".file-drop", { name: "people.csv", type: "text/csv", text: people });
  await page.getByRole("cell", { name: "Ada Lovelace" }).waitFor();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("heading", { name: "Imported 1 row" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await goOn();
  await page.getByRole("link", { name: "Select leads" }).click();

  await page.getByRole("checkbox", { name: "Select Ada Lovelace" }).check();
  await page.getByRole("button", { name: "Schedule…" }).click();
  await page.getByLabel("Note").fill("Hello {{firstName}}");
  // During working hours, the action would be executed immediately and leave the queue.
  await page.getByLabel("Not before").fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 16));
  await page.getByRole("button", { name: "Schedule", exact: true }).click();
  await page.getByText("Scheduled for Ada Lovelace.").waitFor();
  await page.getByRole("link", { name: "Queue" }).click();
  await page.getByText("Hello Ada").waitFor();
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByRole("heading", { name: "Hello, Grace" }).waitFor();
  expect(problems).toEqual([]);
});
