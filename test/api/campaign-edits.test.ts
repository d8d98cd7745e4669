import { expect } from "bun:test";
import type { CampaignStep, CampaignStatistics, CampaignView } from "../../src/features/campaigns/model.ts";
import { campaignsPath, createCampaignWorld } from "../support/campaign-world.ts";
import { succeeded, testInProcess } from "../support/service.ts";

const invite = (message: string): CampaignStep => ({ type: "action", actionType: "sendConnectionRequest", message });
const message = (text: string): CampaignStep => ({ type: "action", actionType: "sendMessage", message: text });
const wait: CampaignStep = { type: "wait", days: 1 };

testInProcess("leads that have begun finish the steps they began; others get the changed ones", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const { client, campaignsOf: of, pass } = world;
  const campaign = await of.create([invite("Old"), wait, message("Old")]);
  const path = `${campaignsPath}/${campaign.id}`;
  await of.enroll(campaign, [await of.lead("Ada")]);
  await of.change(campaign, "start");
  await world.service.idle();
  const spacing = { medianSeconds: 7200, minSeconds: 7200 };
  succeeded(await client.patch(`/api/v2/network/accounts/${world.accountId}`, { spacing }));
  // Ben's request is waiting for its time when the campaign is paused: he has not begun.
  await of.enroll(campaign, [await of.lead("Ben")]);
  await world.service.idle();
  await of.change(campaign, "pause");
  const steps = [invite("New"), message("New"), wait];
  const edited = succeeded(await client.patch<CampaignView>(path, { steps, version: campaign.version })).data;
  expect(edited).toMatchObject({ steps, version: 2, firstStep: 4, state: "paused" });
  await of.change(campaign, "start");
  await pass(96);
  const sent = (await of.actions()).filter(({ state }) => state === "completed");
  const textsOf = (name: string) =>
    sent.filter(({ profileUrl }) => profileUrl.endsWith(name)).map((action) => action.message);
  expect(textsOf("ada")).toEqual(["Old", "Old"]);
  expect(textsOf("ben")).toEqual(["New", "New"]);
  expect(new Set((await of.enrollments(campaign)).map(({ state }) => state))).toEqual(new Set(["completed"]));
  const { data } = succeeded(await client.get<CampaignStatistics>(`${path}/statistics`));
  expect(data.steps.map(({ step, completed }) => [step, completed])).toEqual([
    [4, 1],
    [5, 1],
  ]);
});

testInProcess("an edit that is based on an older version is rejected and changes nothing", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const { client, campaignsOf: of } = world;
  const campaign = await of.create([message("One")]);
  const path = `${campaignsPath}/${campaign.id}`;
  const edit = (text: string) => client.patch(path, { steps: [message(text)], version: campaign.version });
  const [first, second] = await Promise.all([edit("Tab 1"), edit("Tab 2")]);
  expect(new Set([first.status, second.status])).toEqual(new Set([200, 409]));
  const refused = first.status === 409 ? first : second;
  expect(refused.body).toMatchObject({
    ...{ code: "CONFLICT", message: expect.stringContaining("Load it again"), details: { version: 2 } },
  });
  const stored = succeeded(await client.get<CampaignView>(path)).data;
  expect(stored).toMatchObject({ version: 2, steps: [message(first.status === 200 ? "Tab 1" : "Tab 2")] });
});

testInProcess("starting and pausing is not an edit, and a running campaign must be paused first", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const { client, campaignsOf: of } = world;
  const campaign = await of.create([message("One")]);
  const path = `${campaignsPath}/${campaign.id}`;
  expect(await of.change(campaign, "start")).toMatchObject({ version: 1 });
  const early = await client.patch(path, { steps: [message("Two")], version: 1 });
  expect(early.status).toBe(409);
  expect(early.body).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("Pause it") });
  await of.change(campaign, "pause");
  succeeded(await client.patch(path, { steps: [message("Two")], version: 1 }));
});

testInProcess("a duplicate is a draft without leads, with the same steps, settings, and accounts", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const { client, campaignsOf: of } = world;
  const settings = { stopOnReply: false };
  const original = await of.create([invite("Hello"), wait], { name: "S".repeat(199), settings });
  await of.enroll(original, [await of.lead("Ada")]);
  await of.change(original, "start");
  const path = `${campaignsPath}/${original.id}/duplicate`;
  const copy = succeeded(await client.post<CampaignView>(path, {})).data;
  expect(copy).toMatchObject({
    ...{ name: `${"S".repeat(193)} (copy)`, state: "draft", startedAt: null, version: 1 },
    ...{ steps: original.steps, settings: original.settings, accountIds: original.accountIds },
  });
  expect(copy.id).not.toBe(original.id);
  expect(await of.enrollments(copy)).toEqual([]);
  expect(succeeded(await client.post<CampaignView>(path, { name: " Autumn " })).data.name).toBe("Autumn");
  expect((await client.post(path, { name: "\n" })).status).toBe(400);
  expect((await client.post(`${campaignsPath}/unknown/duplicate`, {})).status).toBe(404);
});
