import { afterAll, expect } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { callApi } from "../support/server-api.ts";

afterAll(closeBrowser);

testInBrowser("the page of a lead shows its campaigns, edits custom fields, and merges a duplicate", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const lead = await callApi<LeadView>(server, "POST", "/leads", {
    ...{ firstName: "Ada", lastName: "Lovelace", networkUrl: "https://network.example/in/ada" },
    customFields: { size: 50, note: "x" },
  });
  const other = await callApi<LeadView>(server, "POST", "/leads", {
    firstName: "Ada",
    lastName: "L.",
    email: "ada@example.com",
  });
  await callApi(server, "POST", "/network/accounts", { name: "Main" });
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const campaign = await callApi<{ id: string }>(server, "POST", "/campaigns", { name: "Spring", steps });
  await callApi(server, "POST", `/campaigns/${campaign.id}/enroll`, { leadIds: [lead.id] });
  await using opened = await openSignedIn(server, `/app/leads/${lead.id}`);
  const { page, problems } = opened;
  await page.getByRole("link", { name: "Spring" }).waitFor();
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/lead.png` });
  expect(await findings(page)).toEqual([]);

  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Value of note").fill("hello");
  await page.getByRole("button", { name: "Add field" }).click();
  await page.getByLabel("Name of field 3").fill("team");
  await page.getByLabel("Value of team").fill("blue");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("blue").waitFor();
  const saved = await callApi<LeadView>(server, "GET", `/leads/${lead.id}`);
  expect(saved.customFields).toEqual({ size: 50, note: "hello", team: "blue" });

  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Merge with another lead…" }).click();
  await page.getByLabel("Other lead").fill("ada l.");
  await page.getByRole("button", { name: "Ada L.", exact: true }).click();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await page.getByRole("link", { name: "ada@example.com" }).waitFor();

  // An old link leads to the lead that is left.
  await page.goto(`${server.url}/app/leads/${other.id}`);
  await page.waitForURL(`${server.url}/app/leads/${lead.id}`);
  await page.getByText("blue").waitFor();
  expect(problems).toEqual([]);
});

testInBrowser("the page of a lead tells a reply once, in plain English, and leads to the answer", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(`${directory.path}/data`);
  const profileUrl = "https://network.example/in/ada";
  const lead = await callApi<LeadView>(server, "POST", "/leads", { firstName: "Ada", networkUrl: profileUrl });
  await callApi(server, "POST", "/network/accounts", { name: "Main" });
  await callApi(server, "POST", "/network/actions/record", {
    ...{ actionType: "sendMessage", profileUrl, leadId: lead.id },
    carriedOutAt: new Date(Date.now() - 3_600_000).toISOString(),
  });
  for (const text of ["Sounds good", "Call me on Monday"])
    await callApi(server, "POST", "/network/contacts/events", { profileUrl, event: "replied", text });
  const { conversations } = await callApi<{ conversations: { id: string }[] }>(server, "GET", "/inbox/conversations");
  const path = `/inbox/conversations/${conversations[0]!.id}`;
  await callApi(server, "PATCH", path, { label: "interested" });
  await callApi(server, "PATCH", path, { isRead: true });
  await using opened = await openSignedIn(server, `/app/leads/${lead.id}`);
  const { page, problems } = opened;
  await page.getByText("Conversation labeled “Interested”").waitFor();
  const told = (await page.locator(".timeline > li").allInnerTexts()).join("\n");
  expect(told.split("“Sounds good”")).toHaveLength(2);
  expect(told.split("“Call me on Monday”")).toHaveLength(2);
  expect(told).toContain("Replied");
  expect(told).not.toMatch(/message\.|conversation\.|Fields:/);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/lead-timeline.png` });
  expect(await findings(page)).toEqual([]);
  const last = page.locator(".last-message");
  expect(await last.innerText()).toContain("Call me on Monday");
  await last.getByRole("link", { name: /^Reply to/ }).click();
  await page.getByRole("textbox", { name: /^Reply to/ }).waitFor();
  expect(problems).toEqual([]);
});

testInBrowser(
  "the company of a lead is enriched at a price that is shown first, and the lead is filled in",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`);
    const lead = await callApi<LeadView>(server, "POST", "/leads", {
      ...{ firstName: "Ada", email: "ada@acme.example", industry: "Robotics" },
    });
    const other = await callApi<LeadView>(server, "POST", "/leads", { firstName: "Bo", email: "bo@gmail.com" });
    const rows = [0, 1, 2].map((n) => `P${n},p${n}@acme.example,Acme Works,Machines,51-200,acme.example`);
    await callApi(
      server,
      "POST",
      "/prospecting/import",
      `name,email,company,industry,companySize,domain\n${rows.join("\n")}`,
    );
    await eventually("the prospects", async () => {
      const { facets } = await callApi<{ facets: { values: object[] }[] }>(server, "POST", "/prospecting/facets", {});
      return facets.some(({ values }) => values.length > 0) ? true : null;
    });
    await using opened = await openSignedIn(server, `/app/leads/${lead.id}`);
    const { page, problems } = opened;
    const dialog = page.getByRole("dialog");
    const open = async () => {
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Enrich company…" }).click();
    };
    await open();
    expect(await dialog.getByLabel("Domain").inputValue()).toBe("acme.example");
    await dialog.getByText(/^Up to \d credits?$/).waitFor();
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/enrich-company.png` });
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel("Domain").fill("gmail.com");
    await page.keyboard.press("Tab");
    await dialog.getByText("gmail.com belongs to a mail provider, not to a company.").waitFor();
    expect(await dialog.getByRole("button", { name: "Enrich company" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Domain").fill("acme.example");
    await page.keyboard.press("Tab");
    await dialog.getByRole("button", { name: "Enrich company" }).click();
    await dialog.getByText("Company enriched").waitFor();
    await dialog.getByText("51-200").waitFor();
    if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/company-enriched.png` });
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByText("51-200").waitFor();
    const saved = await callApi<LeadView>(server, "GET", `/leads/${lead.id}`);
    // What was there stays.
    expect(saved).toMatchObject({
      company: "Acme Works",
      industry: "Robotics",
      customFields: { companySize: "51-200" },
    });
    await open();
    await dialog.getByText("Free", { exact: true }).waitFor();

    // The domain of a mail provider is not suggested, and what nobody knows costs nothing.
    await page.goto(`${server.url}/app/leads/${other.id}`);
    await open();
    await dialog.getByText("Enter the name or the domain of the company.").waitFor();
    await dialog.getByLabel("Company").fill("Nowhere Ltd");
    await page.keyboard.press("Tab");
    await dialog.getByText(/^Up to/).waitFor();
    await dialog.getByRole("button", { name: "Enrich company" }).click();
    await dialog.getByText("Nothing found").waitFor();
    await dialog.getByText(/^0 credits used/).waitFor();
    expect(problems).toEqual([]);
  },
);
