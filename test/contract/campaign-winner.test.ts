import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import {
  defaultSettings,
  untouched,
  type Campaign,
  type CampaignStep,
  type Enrollment,
} from "../../src/features/campaigns/model.ts";
import { decideTests } from "../../src/features/campaigns/variant-tests.ts";
import { variantFor, type AutoWinner } from "../../src/features/campaigns/variants.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const later = startOfTests + 1;
const variants = [
  { name: "A", weight: 1, message: "Hello" },
  { name: "B", weight: 1, message: "Good morning" },
];
const stepOf = (autoWinner?: AutoWinner): CampaignStep => ({
  ...{ type: "action", actionType: "sendMessage", variants },
  ...(autoWinner !== undefined && { autoWinner }),
});

describe.each(enginesAndPostgres)("the test of a step on $name", ({ open }) => {
  test("is decided once the best text is certain, with an event, and further leads get that text", async () => {
    await using opened = await open();
    const { storage, user, reached, campaignOf, winnersOf } = await createWorld(opened.storage);
    const campaign = await campaignOf([stepOf({ minSent: 20 })]);
    await reached(campaign, "A", 15, 20);
    await reached(campaign, "B", 4, 19);
    await decideTests(storage.campaigns, later);
    expect(await winnersOf(campaign)).toEqual({});
    await reached(campaign, "B", 0, 1);
    await decideTests(storage.campaigns, later);
    expect(await winnersOf(campaign)).toEqual({ 0: "A" });
    const filter = { types: ["campaign.variant_won" as const] };
    const page = { scopes: [user.id], filter, after: null, before: null, newestFirst: false, limit: 10 };
    const events = () => storage.events.page(page);
    expect(await events()).toMatchObject([
      { campaignId: campaign.id, at: later, data: { step: 0, variant: "A", outcome: "replied", confidence: 95 } },
    ]);
    // Never another one, even if the other text gets all replies from now on.
    await reached(campaign, "B", 200, 200);
    await decideTests(storage.campaigns, later + 1);
    expect(await winnersOf(campaign)).toEqual({ 0: "A" });
    expect(await events()).toHaveLength(1);
    for (const id of ["one", "two", "three"])
      expect(variantFor({ variants }, 0, { id, variants: {} }, await winnersOf(campaign))?.name).toBe("A");
  });

  test("is left to people without autoWinner, and while the campaign is not running", async () => {
    await using opened = await open();
    const { storage, reached, campaignOf, winnersOf } = await createWorld(opened.storage);
    const byHand = await campaignOf([stepOf()]);
    const paused = await campaignOf([stepOf({ minSent: 20 })], "paused");
    for (const campaign of [byHand, paused]) {
      await reached(campaign, "A", 60, 100);
      await reached(campaign, "B", 4, 100);
    }
    await decideTests(storage.campaigns, later);
    expect([await winnersOf(byHand), await winnersOf(paused)]).toEqual([{}, {}]);
    const winner = { step: 0, variant: "A", outcome: "replied", minSent: 20, confidence: 95 } as const;
    expect(await storage.campaigns.decideWinner(paused.id, winner, later)).toBe(false);
    expect(await storage.campaigns.decideWinner(byHand.id, { ...winner, variant: "C" }, later)).toBe(false);
    expect(await storage.campaigns.decideWinner(byHand.id, { ...winner, step: 1 }, later)).toBe(false);
    const both = [1, 2].map(() => storage.campaigns.decideWinner(byHand.id, winner, later));
    expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
  });
});

async function createWorld(storage: Storage) {
  const make = createFactories();
  const { user } = await make.storedUser(storage);
  const account = make.account(user.id);
  await storage.network.insertAccount(account);

  async function campaignOf(steps: CampaignStep[], state: Campaign["state"] = "running"): Promise<Campaign> {
    const campaign: Campaign = {
      ...{ id: make.ids.next(startOfTests), workspaceId: user.id, name: "Spring", state, steps },
      ...{ accountIds: [account.id], settings: { ...defaultSettings, excludeOtherCampaigns: false }, winners: {} },
      ...{ version: 1, firstStep: 0 },
      ...{ startedAt: null, createdAt: startOfTests, updatedAt: startOfTests },
    };
    await storage.campaigns.insert(campaign);
    return campaign;
  }

  /** So many leads got this text, of whom the first ones replied. */
  async function reached({ id: campaignId }: Campaign, variant: string, replied: number, sent: number): Promise<void> {
    const enrollments: Enrollment[] = [];
    for (let n = 0; n < sent; n++) {
      const lead = await make.storedLead(storage, user.id);
      enrollments.push({
        ...{
          id: make.ids.next(startOfTests),
          campaignId,
          workspaceId: user.id,
          leadId: lead.id,
          accountId: account.id,
        },
        ...{ profileKey: `https://network.example/in/${lead.id}`, state: "completed", reason: null, atStep: 1 },
        ...{ sinceAt: startOfTests, wakeAt: null, jobId: null, connectedAt: null, ...untouched },
        ...{ repliedAt: n < replied ? startOfTests : null, variants: { 0: variant }, version: 1 },
        ...{ trail: [[0, startOfTests, "messaged"]], createdAt: startOfTests, updatedAt: startOfTests },
      });
    }
    await storage.campaigns.enroll(enrollments, false, startOfTests);
  }

  const winnersOf = async ({ id }: Campaign) => (await storage.campaigns.get(user.id, id))!.winners;
  return { storage, user, campaignOf, reached, winnersOf };
}
