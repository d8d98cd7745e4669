import { afterAll, expect, test } from "bun:test";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { PlanView } from "../../src/features/network/forecast-model.ts";
import { createCampaignWorld } from "../support/campaign-world.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

const service = await startService({ settings: { CONNECTOR: "manual" } });
afterAll(() => service[Symbol.asyncDispose]());
const accountsPath = "/api/v2/network/accounts";

testInProcess(
  "nothing is sent on a holiday: the plan and the queue continue after it, and before once it is removed",
  async () => {
    // The clock starts on Monday, 2026-01-05, at 10:00.
    await using world = await createCampaignWorld("acceptances=0");
    const { client, accountId, campaignsOf: of, pass } = world;
    const path = `${accountsPath}/${accountId}`;
    const holidays = [{ from: "2026-01-05", to: "2026-01-07", name: "Off site" }];
    expect(succeeded(await client.patch<AccountView>(path, { holidays })).data.holidays).toEqual(holidays);
    const campaign = await of.create([{ type: "action", actionType: "visitProfile" }]);
    await of.enroll(campaign, [await of.lead("Ada")]);
    await of.change(campaign, "start");
    await pass(24);
    const [waiting] = await of.actions();
    expect(waiting).toMatchObject({
      state: "scheduled",
      pendingReason: "holiday",
      scheduledFor: "2026-01-08T00:00:00.000Z",
    });
    const plan = succeeded(await client.get<PlanView>(`${path}/plan`)).data;
    expect(plan.days).toEqual([{ date: "2026-01-08", actions: { visitProfile: 1 } }]);
    succeeded(await client.patch(path, { holidays: [] }));
    await pass(4);
    expect((await of.actions())[0]).toMatchObject({ state: "completed" });
  },
);

test("holidays are stored in order; one that is no range of days names its field", async () => {
  const client = await service.user();
  const input = {
    name: "Main",
    holidays: [
      { from: "2030-12-24", to: "2030-12-26", name: " Christmas " },
      { from: "2030-05-01", name: "" },
    ],
  };
  const account = succeeded(await client.post<AccountView>(accountsPath, input)).data;
  expect(account.holidays).toEqual([
    { from: "2030-05-01", to: "2030-05-01", name: "" },
    { from: "2030-12-24", to: "2030-12-26", name: "Christmas" },
  ]);
  const wrong: [object, string][] = [
    [{ from: "2030-02-30", name: "" }, "holidays.0.from"],
    [{ from: "2030-03-02", to: "2030-03-01", name: "" }, "holidays.0.to"],
    [{ from: "2030-01-01", to: "2035-01-01", name: "" }, "holidays.0.to"],
    [{ from: "tomorrow", name: "" }, "holidays.0.from"],
  ];
  for (const [holiday, path] of wrong) {
    const refused = await client.patch(`${accountsPath}/${account.id}`, { holidays: [holiday] });
    expect([refused.status, JSON.stringify(refused.details)]).toEqual([400, expect.stringContaining(`"${path}"`)]);
  }
  expect(succeeded(await client.get<AccountView>(`${accountsPath}/${account.id}`)).data.holidays).toHaveLength(2);
});
