import { afterAll, expect } from "bun:test";
import { closeBrowser, dropFile, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

const hostile = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;
const companies = ["Engines", "Navy Yard", "Orbital"];

/** 537 rows, of which 534 become leads: one is a duplicate, one has an invalid email address, one has no person. */
function people(): string {
  const rows = Array.from({ length: 534 }, (_, n) => `Person ${n},p${n}@example.com,${companies[n % 3]},"${n},x"`);
  const others = ["Again,p7@example.com,Engines,", "Wrong,no mail at all,,", ",,Engines,alone"];
  return ["Kontakt,Post,Firma,Note", ...rows, ...others].join("\n");
}

testInBrowser("drops a file, maps its columns, runs a dry run, imports it, and shows the report", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  await using opened = await openSignedIn(server, "/app/leads");
  const { page, problems } = opened;
  await page.getByText("No leads yet").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("link", { name: "Import leads" }).click();
  await dropFile(page, ".file-drop", { name: "people.csv", type: "text/csv", text: people() });
  await page.getByText("do not identify a person").waitFor();
  await page.getByLabel("Post").selectOption("Email");
  await page.getByRole("cell", { name: "p0@example.com" }).waitFor();
  await page.getByLabel("Kontakt").selectOption("Full name");
  await page.getByRole("cell", { name: "Person 0" }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText("Checked 537 rows. Nothing is stored yet.").waitFor();
  await page.getByRole("button", { name: "Import now" }).click();
  await page.getByText("Imported 537 rows").waitFor();
  await page.getByRole("cell", { name: "Already a lead." }).waitFor();
  expect(await page.getByRole("row").filter({ hasText: "Failed" }).count()).toBe(2);
  expect(await findings(page)).toEqual([]);
  await page.getByRole("link", { name: "View leads" }).click();
  await page.getByText("534 leads").waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("finds and edits leads, individually and in bulk, and shows their HTML as text", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const texts = ["firstName", "lastName", "company", "title", "industry", "location", "source", "notes"];
  const everywhere = Object.fromEntries(texts.map((field) => [field, hostile]));
  await callApi(server, "POST", "/leads", {
    ...everywhere,
    networkUrl: "https://network.example/in/x",
    tags: [hostile.slice(0, 90)],
    customFields: { [hostile.slice(0, 90)]: hostile },
  });
  await callApi(server, "POST", "/leads", { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com" });
  await using opened = await openSignedIn(server, "/app/leads");
  const { page, problems } = opened;

  await page.getByText("2 leads").waitFor();
  await page.getByRole("link", { name: hostile }).first().click();
  await page.getByText("Lead created").waitFor();
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(await page.title()).not.toBe("hacked");
  await page.goBack();

  await page.getByPlaceholder("Name, email").fill("lovelace");
  await page.getByText("1 lead found").waitFor();
  expect(page.url()).toContain("q=lovelace");
  await page.getByRole("checkbox", { name: "Select Ada Lovelace" }).check();
  await page.getByRole("button", { name: "Add tag" }).click();
  await page.getByLabel("Tag", { exact: true }).last().fill("spring");
  await page.getByRole("dialog").getByRole("button", { name: "Add tag" }).click();
  await page.getByText("1 lead tagged spring.").waitFor();
  await page.getByRole("link", { name: "Ada Lovelace" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  expect(await findings(page)).toEqual([]);
  await page.getByLabel("Job title").fill("Countess");
  await page.getByLabel("Email").fill("not an address");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Email").fill("countess@example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("link", { name: "countess@example.com" }).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

testInBrowser("on a phone, words stay whole in the list of leads, and its menus within the window", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const names = { firstName: "Constantin", lastName: "Whitfield", company: "Brightwater Health" };
  await callApi(server, "POST", "/leads", { ...names, email: "ada@example.com" });
  await using opened = await openSignedIn(server, "/app/leads", { viewport: { width: 390, height: 844 } });
  const { page, problems } = opened;
  await page.getByText("Brightwater Health").waitFor();
  const lines = await page.evaluate(() =>
    [..."Constantin Whitfield Brightwater".split(" ")].map((word) => {
      const texts = document.createTreeWalker(document.querySelector("tbody")!, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()?.textContent?.includes(word) !== true);
      const range = document.createRange();
      const at = texts.currentNode.textContent!.indexOf(word);
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + word.length);
      return range.getClientRects().length;
    }),
  );
  expect(lines).toEqual([1, 1, 1]);
  for (const name of ["Filter", "Columns"]) {
    await page.getByRole("button", { name, exact: true }).click();
    const box = await page.locator(".popover:not([hidden])").boundingBox();
    expect({ name, isWithin: box!.x >= 0 && box!.x + box!.width <= 390 }).toEqual({ name, isWithin: true });
    await page.keyboard.press("Escape");
  }
  expect(problems).toEqual([]);
});
