import { expect } from "bun:test";
import type { CampaignStep, CampaignView } from "../../src/features/campaigns/model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import { campaignsPath, createCampaignWorld, type CampaignWorld } from "../support/campaign-world.ts";
import { succeeded, testInProcess } from "../support/service.ts";

const invite = (message: string): CampaignStep => ({ type: "action", actionType: "sendConnectionRequest", message });
const write = (message: string): CampaignStep => ({ type: "action", actionType: "sendMessage", message });

async function problemOf({ client }: CampaignWorld, steps: readonly CampaignStep[]) {
  const { status, message, details } = await client.post(campaignsPath, { name: "Spring", steps });
  const errors = (details?.["errors"] ?? []) as { path: string; message: string }[];
  return { status, message, paths: errors.map(({ path }) => path), texts: errors.map((error) => error.message) };
}

/** Each counts as many UTF-16 code units as it has, as in the text fields of the network. */
const family = "👨‍👩‍👧‍👦";
const fitting: [string, string][] = [
  ["150 emoji of two units", "😀".repeat(150)],
  ["27 families of 11 units and 3 letters", `${family.repeat(27)}abc`],
  ["75 flags of four units", "🇩🇪".repeat(75)],
  ["300 letters and spaces around them", `  ${"x".repeat(300)}\n`],
  ["150 letters with a combining accent", "e\u0301".repeat(150)],
];

testInProcess("a note of 300 UTF-16 units fits, one of 301 does not, whatever they look like", async () => {
  await using world = await createCampaignWorld("acceptances=0");
  const accounts = "/api/v2/network/accounts";
  succeeded(await world.client.patch(`${accounts}/${world.accountId}`, { tier: "premium" }));
  for (const [what, text] of fitting) {
    const fits = await problemOf(world, [invite(text)]);
    expect([what, fits.status]).toEqual([what, 200]);
    const over = await problemOf(world, [invite(`${text.trim()}!`)]);
    expect([what, over.status, ...over.paths]).toEqual([what, 400, "steps.0.message"]);
    expect(over.texts[0]).toContain("301");
  }
  // Among a branch and its variants, the text that does not fit is named.
  const variants = ["short", `${"😀".repeat(150)}!`].map((message, n) => ({ name: `V${n}`, weight: 1, message }));
  const nested: CampaignStep[] = [
    {
      ...{ type: "branch", condition: "connected", withinDays: 0, yes: [] },
      no: [{ type: "action", actionType: "sendConnectionRequest", variants }],
    },
  ];
  expect((await problemOf(world, nested)).paths).toEqual(["steps.0.no.0.variants.1.message"]);
});

testInProcess("a text of 10 MB is rejected at its field, and the service goes on", async () => {
  await using world = await createCampaignWorld("acceptances=0");
  const huge = "x".repeat(10_000_000);
  const refused = await problemOf(world, [write(huge)]);
  expect([400, 413]).toContain(refused.status);
  expect(refused.message?.length).toBeLessThan(1000);
  if (refused.status === 400) expect(refused.paths).toContain("steps.0.message");
  const variant = { name: "A", weight: 1, message: huge };
  expect([400, 413]).toContain(
    (await problemOf(world, [{ type: "action", actionType: "sendMessage", variants: [variant] }])).status,
  );
  expect((await problemOf(world, [write("Hello")])).status).toBe(200);
});

const odd = {
  "right to left": "שלום {{firstName|חבר}}, مرحبا \u202Eabc\u202C",
  "zero width": "zero\u200Bwidth\u200D\uFEFF{{firstName|there}}",
  HTML: "<b>Hi</b> {{firstName|there}} <img src=x onerror=alert(1)> &amp; </script>",
};

testInProcess("texts are stored and sent as they were written", async () => {
  await using world = await createCampaignWorld("acceptances=0");
  const { client, campaignsOf: of, pass } = world;
  const campaign = await of.create(Object.values(odd).map(write));
  expect(campaign.steps).toEqual(Object.values(odd).map(write));
  const lead = await of.lead("Ada");
  await of.enroll(campaign, [lead]);
  await of.change(campaign, "start");
  await pass(72);
  const { data } = succeeded(await client.get<{ actions: ActionView[] }>(`/api/v2/network/actions?limit=100`));
  const sent = data.actions.map(({ message }) => message);
  for (const text of Object.values(odd)) expect(sent).toContain(text.replace(/\{\{.*?\}\}/, "Ada").trim());
});

testInProcess("variants without any weight are rejected, also in an edit, which changes nothing", async () => {
  await using world = await createCampaignWorld("acceptances=0");
  const variants = ["A", "B"].map((name) => ({ name, weight: 0, message: "Hello" }));
  const step: CampaignStep = { type: "action", actionType: "sendMessage", variants };
  const refused = await problemOf(world, [step]);
  expect([refused.status, ...refused.paths]).toEqual([400, "steps.0.variants"]);
  const campaign = await world.campaignsOf.create([write("Hello")]);
  const path = `${campaignsPath}/${campaign.id}`;
  expect((await world.client.patch(path, { steps: [step] })).status).toBe(400);
  expect(succeeded(await world.client.get<CampaignView>(path)).data).toMatchObject({
    version: 1,
    steps: campaign.steps,
  });
});

testInProcess("of two tabs that edit a running campaign, the second is told, and leads keep their steps", async () => {
  await using world = await createCampaignWorld("acceptances=0");
  const { client, campaignsOf: of, pass } = world;
  const campaign = await of.create([write("Hello"), { type: "wait", days: 1 }, write("Again")]);
  await of.enroll(campaign, [await of.lead("Ada")]);
  await of.change(campaign, "start");
  const path = `${campaignsPath}/${campaign.id}`;
  const { version } = campaign;
  const steps = [write("Changed")];
  const running = await client.patch(path, { steps, version });
  expect([running.status, running.message]).toEqual([409, expect.stringContaining("ause")]);
  const renamed = await Promise.all(["Tab 1", "Tab 2"].map((name) => client.patch(path, { name, version })));
  expect(renamed.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(renamed.find(({ status }) => status === 409)).toMatchObject({ code: "CONFLICT", details: { version: 2 } });
  await pass(96);
  const { data } = succeeded(await client.get<CampaignView>(path));
  expect(data).toMatchObject({ state: "running", version: 2, steps: campaign.steps });
  const actions = succeeded(await client.get<{ actions: ActionView[] }>("/api/v2/network/actions?limit=100")).data;
  expect(new Set(actions.actions.map(({ message }) => message))).toEqual(new Set(["Again", "Hello"]));
});
