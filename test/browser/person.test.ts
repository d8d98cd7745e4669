import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("enriches, enrolls, exports, and erases a lead, with entries in the audit log", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const csv = "First name,Last name,Company,Profile,Job title\nAda,Lovelace,Engines,network.example/in/ada,Countess\n";
  await callApi(server, "POST", "/prospecting/import", csv);
  const networkUrl = "https://network.example/in/ada";
  const { id } = await callApi<{ id: string }>(server, "POST", "/leads", { firstName: "Ada", networkUrl });
  const step = { type: "action", actionType: "sendConnectionRequest" };
  await callApi(server, "POST", "/campaigns", { name: "Spring", steps: [step] });
  await using opened = await openSignedIn(server, `/app/leads/${id}`);
  const { page, problems } = opened;

  await page.getByRole("link", { name: "Enrich…" }).click();
  await page.getByRole("heading", { name: "Enrich Ada" }).waitFor();
  await page.getByRole("button", { name: "Check cost" }).click();
  await page.getByRole("button", { name: "Enrich for up to 1 credit" }).click();
  await page.getByText("Filled in: ").waitFor();
  expect(await page.getByRole("row").filter({ hasText: "Job title" }).textContent()).toContain("Countess");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("link", { name: "View lead" }).click();
  await page.getByText("Countess").first().waitFor();

  await page.getByRole("link", { name: "Leads" }).first().click();
  await page.getByRole("checkbox", { name: "Select Ada Lovelace" }).check();
  await page.getByRole("button", { name: "Enroll…" }).click();
  await page.getByText("1 lead can be enrolled.").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Enroll 1 lead" }).click();
  await page.getByText("1 lead enrolled in Spring.").waitFor();

  await page.goto(`${server.url}/app/leads/${id}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Export this person…" }).click();
  const downloaded = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const document = (await Bun.file(await (await downloaded).path()).json()) as {
    data: { records: { collection: string }[] };
  };
  expect(document.data.records.map(({ collection }) => collection)).toEqual(
    expect.arrayContaining(["leads", "prospects"]),
  );

  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Erase this person…" }).click();
  await page.getByText("Campaign enrollments: 1").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Erase permanently" }).click();
  await page.getByRole("heading", { name: "Ada Lovelace was erased" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByText("No leads yet").waitFor();

  await page.goto(`${server.url}/app/settings?part=audit`);
  await page.getByRole("button", { name: "Person erased" }).click();
  await page.getByRole("dialog").getByText("Subject").waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Event").selectOption("Person exported");
  await page.getByRole("button", { name: "Person erased" }).waitFor({ state: "detached" });
  expect(await page.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("audit log is intact").waitFor();
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});
