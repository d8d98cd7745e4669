import { expect } from "bun:test";
import type { CampaignStep } from "../../src/features/campaigns/model.ts";
import { campaignsPath, createCampaignWorld } from "../support/campaign-world.ts";
import { testInProcess } from "../support/service.ts";

const thanks = (weights: [number, number]): CampaignStep => ({
  type: "action",
  actionType: "sendMessage",
  variants: [
    { name: "Short", weight: weights[0], message: "Thanks, {{firstName}}!" },
    { name: "Long", weight: weights[1], message: "Thank you very much, {{firstName}}!" },
  ],
});

testInProcess("each lead gets one of the texts of a step, and keeps it when its action is repeated", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const { campaignsOf: of, pass } = world;
  const campaign = await of.create([thanks([1, 1])]);
  const names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jo"];
  await of.enroll(campaign, await Promise.all(names.map(of.lead)));
  await of.change(campaign, "start");
  await world.service.idle();
  const texts = new Map((await of.actions()).map(({ profileUrl, message }) => [profileUrl, message]));
  expect(new Set([...texts.values()].map((text) => text!.split(",")[0]))).toEqual(
    new Set(["Thanks", "Thank you very much"]),
  );
  // Pausing withdraws the actions, and the campaign schedules them again.
  await of.change(campaign, "pause");
  await of.change(campaign, "start");
  await pass(24);
  const sent = (await of.actions()).filter(({ state }) => state === "completed");
  expect(sent).toHaveLength(names.length);
  for (const { profileUrl, message } of sent) expect(message).toBe(texts.get(profileUrl)!);
  for (const { variants, leadName } of await of.enrollments(campaign)) {
    const action = sent.find(({ message }) => message!.endsWith(`, ${leadName}!`));
    expect(variants).toEqual({ "0": action!.message!.startsWith("Thanks,") ? "Short" : "Long" });
  }
});

testInProcess("a variant with weight 0 gets nobody", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const { campaignsOf: of, pass } = world;
  const campaign = await of.create([thanks([0, 1])]);
  await of.enroll(campaign, await Promise.all(["Ada", "Ben", "Cleo", "Dan"].map(of.lead)));
  await of.change(campaign, "start");
  await pass(12);
  const variants = (await of.enrollments(campaign)).map((enrollment) => enrollment.variants);
  expect(variants).toEqual(variants.map(() => ({ "0": "Long" })));
});

testInProcess("mistakes in variants are reported at their fields", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const pathsOf = async (step: object) => {
    const { status, details } = await world.client.post(campaignsPath, { name: "Spring", steps: [step] });
    expect(status).toBe(400);
    return (details?.["errors"] as { path: string }[]).map(({ path }) => path);
  };
  const step = { type: "action", actionType: "sendMessage" };
  const text = { message: "Hello", weight: 1 };
  expect(await pathsOf(thanks([0, 0]))).toEqual(["steps.0.variants"]);
  expect(
    await pathsOf({
      ...step,
      variants: [
        { ...text, name: "A" },
        { ...text, name: "A" },
      ],
    }),
  ).toEqual(["steps.0.variants.1.name"]);
  expect(await pathsOf({ ...step, variants: [{ name: "A", weight: 1, message: "x".repeat(8001) }] })).toEqual([
    "steps.0.variants.0.message",
  ]);
});

testInProcess("a lead without a value that one of the texts needs is not enrolled", async () => {
  await using world = await createCampaignWorld("acceptances=100");
  const { campaignsOf: of } = world;
  const variants = [
    { name: "A", weight: 1, message: "Hello" },
    { name: "B", weight: 1, message: "Hello {{company}}" },
  ];
  const campaign = await of.create([{ type: "action", actionType: "sendMessage", variants }]);
  const { results } = await of.enroll(campaign, [await of.lead("Ada")]);
  expect(results).toMatchObject([{ outcome: expect.stringContaining("{{company}} has no value") }]);
});
