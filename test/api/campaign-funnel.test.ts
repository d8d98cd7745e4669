import { describe, expect } from "bun:test";
import type { ComparisonView, FunnelView, SeriesView } from "../../src/features/campaigns/funnel-model.ts";
import type { CampaignStep, CampaignView } from "../../src/features/campaigns/model.ts";
import type { ConversationView } from "../../src/features/inbox/model.ts";
import { campaignsPath, createCampaignWorld, type CampaignWorld } from "../support/campaign-world.ts";
import { succeeded, testInProcess } from "../support/service.ts";

const invite: CampaignStep = { type: "action", actionType: "sendConnectionRequest" };
const thank: CampaignStep = {
  type: "action",
  actionType: "sendMessage",
  variants: [
    { name: "Short", weight: 1, message: "Thanks!" },
    { name: "=Long", weight: 1, message: "Thank you very much!" },
  ],
};
const whenConnected: CampaignStep = {
  ...{ type: "branch", condition: "connected", withinDays: 14 },
  yes: [thank],
  no: [{ type: "action", actionType: "withdrawConnectionRequest" }],
};

type ComparisonPage = ComparisonView & { total: number; limit: number; nextCursor: string | null };
const names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay"];

async function read<T>({ client }: CampaignWorld, path: string): Promise<T> {
  return succeeded(await client.get<T>(`${campaignsPath}/${path}`)).data;
}

async function csv({ client }: CampaignWorld, path: string): Promise<string[][]> {
  const { status, headers, body } = await client.get(`${campaignsPath}/${path}`);
  expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  return String(body).trimEnd().split("\r\n").map((line) => line.split(",")); // prettier-ignore
}

describe("the funnel of a campaign", () => {
  testInProcess("follows leads from the enrollment to the reply after the last step", async () => {
    await using world = await createCampaignWorld("acceptances=100");
    const { campaignsOf: of, pass } = world;
    const campaign: CampaignView = await of.create([invite, whenConnected]);
    const leads = await Promise.all(names.map(of.lead));
    await of.enroll(campaign, leads);
    const funnel = () => read<FunnelView>(world, `${campaign.id}/funnel`);
    expect(await funnel()).toMatchObject({ leads: 6, places: [{ state: "active", step: 0, leads: 6 }] });
    await of.change(campaign, "start");
    await pass(24 * 10);
    await of.reply(leads[0]!);
    await of.reply(leads[1]!);
    await of.reply(leads[1]!, "Are you there?");
    const found = await funnel();
    expect(found.stages).toEqual({ enrolled: 6, contacted: 6, connected: 6, replied: 2, interested: 0 });
    expect(found.places).toEqual([{ state: "completed", step: null, leads: 6 }]);
    expect(found.steps.map(({ step, sent, left, replied }) => [step, sent, left, replied])).toEqual([
      [0, 6, 6, 0],
      [1, 0, 6, 0],
      [2, 6, 6, 2],
      [3, 0, 0, 0],
    ]);
    expect(found.steps[1]).toMatchObject({ yes: { taken: 6, replied: 2 }, no: { taken: 0, replied: 0 } });
    const [test] = found.tests;
    expect(test).toMatchObject({ step: 2, outcome: "replied", confidence: 95 });
    expect(test!.variants.reduce((sum, { sent }) => sum + sent, 0)).toBe(6);
    expect(test!.variants.reduce((sum, { replied }) => sum + replied, 0)).toBe(2);
    expect(found.accounts).toMatchObject([{ accountId: world.accountId, enrolled: 6, replied: 2 }]);
    const statistics = await read<{ replied: number; connected: number }>(world, `${campaign.id}/statistics`);
    expect([statistics.connected, statistics.replied]).toEqual([6, 2]);

    const { client } = world;
    const listed = await client.get<{ conversations: ConversationView[] }>("/api/v2/inbox/conversations");
    const [conversation] = succeeded(listed).data.conversations;
    const label = async (value: string | null) =>
      succeeded(await client.patch(`/api/v2/inbox/conversations/${conversation!.id}`, { label: value }));
    const interested = async () => (await funnel()).stages.interested;
    await label("interested");
    await label("interested");
    expect(await interested()).toBe(1);
    await label("later");
    expect(await interested()).toBe(0);
    await label("interested");
    expect((await funnel()).steps[2]).toMatchObject({ interested: 1 });

    const { days } = await read<SeriesView>(world, `${campaign.id}/series`);
    expect(days.reduce((sum, { contacted }) => sum + contacted, 0)).toBe(6);
    expect(days.at(-1)).toMatchObject({ replied: 2, enrolled: 0 });
    const last = days.at(-1)!.date;
    const period = `from=${last}&to=${last}`;
    expect((await read<SeriesView>(world, `${campaign.id}/series?${period}`)).days).toEqual([days.at(-1)!]);
    const by = async (dimension: string) =>
      (await read<SeriesView>(world, `${campaign.id}/series?by=${dimension}`)).series!;
    const sumOf = ({ days: own }: { days: readonly object[] }, count: string) =>
      own.reduce((sum, day) => sum + ((day as Record<string, number>)[count] ?? 0), 0);
    const shown = (series: NonNullable<SeriesView["series"]>, ...counts: string[]) =>
      series.map((each) => [each.step, each.side ?? each.variant, each.name, ...counts.map((one) => sumOf(each, one))]);
    // The sums over days are the funnel.
    expect(shown(await by("step"), "sent", "left", "contacted", "connected", "replied", "interested")).toEqual([
      [0, null, "sendConnectionRequest", 6, 6, 6, 6, 0, 0],
      [1, null, "connected", 0, 6, 0, 0, 0, 0],
      [2, null, "sendMessage", 6, 6, 0, 0, 2, 1],
    ]);
    expect(shown(await by("branch"), "taken", "replied")).toEqual([[1, "yes", "connected", 6, 2]]);
    const variants = shown(await by("variant"), "sent", "replied");
    const compared = found.tests[0]!.variants.filter(({ sent }) => sent > 0);
    const expected = compared.map((each) => [2, each.name, each.name, each.sent, each.replied]);
    expect(new Set(variants.map(String))).toEqual(new Set(expected.map(String)));
    const [ofAccount] = await by("account");
    expect(ofAccount).toMatchObject({ accountId: world.accountId, days });
    expect((await csv(world, `${campaign.id}/series?format=csv&by=branch`))[0]).toEqual(["date", "step", "side", "name", "taken", "connected", "replied", "interested"]); // prettier-ignore
    const ofSteps = await csv(world, `${campaign.id}/series?format=csv&by=step&${period}`);
    expect(ofSteps.slice(1)).toEqual([[last, "2", "sendMessage", "0", "0", "0", "0", "0", "2", "1"]]);
    const ofLastDay = await read<FunnelView>(world, `${campaign.id}/funnel?${period}`);
    expect(ofLastDay).toMatchObject({ from: last, to: last, leads: 6, stages: { enrolled: 0, replied: 2 } });
    expect(await read<FunnelView>(world, `${campaign.id}/funnel?accountId=another`)).toMatchObject({ leads: 0 });

    const rows = await csv(world, `${campaign.id}/funnel?format=csv`);
    expect(rows[0]!.slice(0, 8)).toEqual(["dimension", "step", "name", "enrolled", "contacted", "connected", "replied", "interested"]); // prettier-ignore
    expect(rows[1]!.slice(0, 8)).toEqual(["campaign", "", "", "6", "6", "6", "2", "1"]);
    // A spreadsheet must not run a name as a formula.
    expect(rows.map(([dimension, , name]) => `${dimension} ${name}`)).toContain("variant '=Long");
    expect(await csv(world, `${campaign.id}/series?format=csv`)).toHaveLength(days.length + 1);
  });

  testInProcess("campaigns are compared side by side", async () => {
    await using world = await createCampaignWorld("acceptances=100");
    const { campaignsOf: of, pass } = world;
    const first = await of.create([thank], { name: "First" });
    const second = await of.create([invite], { name: "Second" });
    const leads = await Promise.all(names.map(of.lead));
    await of.enroll(first, leads.slice(0, 4));
    await of.change(first, "start");
    await pass(24);
    await of.reply(leads[0]!);
    const path = `compare?ids=${second.id},${first.id}`;
    const { campaigns } = await read<ComparisonView>(world, path);
    expect(
      campaigns.map(({ name, contacted, replied, rates }) => [name, contacted, replied, rates.replied.rate]),
    ).toEqual([
      ["Second", 0, 0, 0],
      ["First", 4, 1, 25],
    ]);
    expect((await read<ComparisonView>(world, "compare")).campaigns.map(({ name }) => name)).toEqual([
      "Second",
      "First",
    ]);
    const page = await read<ComparisonPage>(world, "compare?limit=1");
    expect([page.campaigns.map(({ name }) => name), page.total, page.limit]).toEqual([["Second"], 2, 1]);
    const next = await read<ComparisonPage>(world, `compare?limit=1&cursor=${page.nextCursor}`);
    expect([next.campaigns.map(({ name }) => name), next.nextCursor]).toEqual([["First"], null]);
    expect((await csv(world, `${path}&format=csv`)).map((row) => row[1])).toEqual(["name", "Second", "First"]);
  });

  testInProcess("mistakes are reported at their fields", async () => {
    await using world = await createCampaignWorld("acceptances=100");
    const { client } = world;
    const campaign = await world.campaignsOf.create([invite]);
    const stranger = await world.service.user();
    const fieldsOf = async (path: string) => {
      const { status, details } = await client.get(`${campaignsPath}/${path}`);
      return [status, ...((details?.["errors"] ?? []) as { path: string }[]).map((error) => error.path)];
    };
    expect(await fieldsOf(`${campaign.id}/funnel?from=2030-02-31`)).toEqual([400, "from"]);
    expect(await fieldsOf(`${campaign.id}/series?to=yesterday`)).toEqual([400, "to"]);
    expect(await fieldsOf(`${campaign.id}/series?by=weather`)).toEqual([400, "by"]);
    expect(await fieldsOf(`${campaign.id}/series?from=2030-02-02&to=2030-02-01`)).toEqual([400, "to"]);
    expect(await fieldsOf(`${campaign.id}/funnel?format=pdf`)).toEqual([400, "format"]);
    expect(await fieldsOf("compare?ids=,")).toEqual([400, "ids"]);
    expect(await fieldsOf(`compare?ids=${Array.from({ length: 21 }, (_, n) => n).join()}`)).toEqual([400, "ids"]);
    expect(await fieldsOf(`compare?ids=${campaign.id}&cursor=x`)).toEqual([400, "cursor"]);
    expect(await fieldsOf("unknown/funnel")).toEqual([404]);
    for (const path of [`${campaign.id}/funnel`, `${campaign.id}/series`, `compare?ids=${campaign.id}`])
      expect((await stranger.get(`${campaignsPath}/${path}`)).status).toBe(404);
  });
});
