import { afterAll, expect, test } from "bun:test";
import type {
  CampaignInput,
  CampaignStatistics,
  CampaignStep,
  CampaignView,
  EnrollAnswer,
  EnrollmentView,
  PreviewView,
} from "../../src/features/campaigns/model.ts";
import type { EventView } from "../../src/platform/events/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { UploadAnswer } from "../../src/features/network/upload-model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, succeeded, testInProcess, type Service } from "../support/service.ts";

const service = await startService({ settings: { CONNECTOR: "simulated" } });
afterAll(() => service[Symbol.asyncDispose]());

const hourMs = 3_600_000;
const stepHours = 4;
const campaignsPath = "/api/v2/campaigns";
const allDay = [{ from: "00:00", to: "24:00" }];
const always = Object.fromEntries(
  ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [day, allDay]),
);

const visit: CampaignStep = { type: "action", actionType: "visitProfile" };
const invite: CampaignStep = {
  type: "action",
  actionType: "sendConnectionRequest",
  message: "Hello {{firstName|there}}",
};
const thank: CampaignStep = { type: "action", actionType: "sendMessage", message: "Thank you, {{firstName|friend}}!" };
const withdraw: CampaignStep = { type: "action", actionType: "withdrawConnectionRequest" };
const wait = (days: number): CampaignStep => ({ type: "wait", days });
const whenConnected = (withinDays: number, yes: CampaignStep[], no: CampaignStep[]): CampaignStep => ({
  type: "branch",
  condition: "connected",
  withinDays,
  yes,
  no,
});

async function newCampaign(client: Client, steps: CampaignStep[], more: Partial<CampaignInput> = {}) {
  return succeeded(await client.post<CampaignView>(campaignsPath, { name: "Spring", steps, ...more })).data;
}

async function newLead(client: Client, name: string, more: object = {}): Promise<LeadView> {
  const lead = { firstName: name, networkUrl: `https://network.example/in/${name.toLowerCase()}`, ...more };
  return succeeded(await client.post<LeadView>("/api/v2/leads", lead)).data;
}

async function enroll(client: Client, campaign: { id: string }, leads: { id: string }[]) {
  const body = { leadIds: leads.map(({ id }) => id) };
  return succeeded(await client.post<EnrollAnswer>(`${campaignsPath}/${campaign.id}/enroll`, body)).data;
}

const turn = async (client: Client, campaign: { id: string }, to: "start" | "pause" | "cancel") =>
  succeeded(await client.post<CampaignView>(`${campaignsPath}/${campaign.id}/${to}`)).data;

async function enrollments(client: Client, campaign: { id: string }): Promise<EnrollmentView[]> {
  const path = `${campaignsPath}/${campaign.id}/enrollments`;
  return succeeded(await client.get<{ enrollments: EnrollmentView[] }>(path)).data.enrollments;
}

/** Oldest first. */
async function actionsOf(client: Client): Promise<ActionView[]> {
  const { data } = succeeded(await client.get<{ actions: ActionView[] }>("/api/v2/network/actions"));
  return data.actions.toReversed();
}

const done = (actions: ActionView[]) =>
  actions.filter(({ state }) => state === "completed").map(({ actionType }) => actionType);

type Fast = {
  service: Service;
  clock: FakeClock;
  client: Client;
  account: string;
  pass: (hours: number) => Promise<void>;
};

/** A user whose account works around the clock, on a clock that is moved by hand. */
async function fast(rates: string, run: (setup: Fast) => Promise<void>): Promise<void> {
  const clock = new FakeClock();
  const settings = { CONNECTOR: "simulated", SIMULATED_RATES: rates };
  await using own = await startService({ clock, settings });
  const client = await own.user();
  const { data } = succeeded(await client.get<{ accounts: AccountView[] }>("/api/v2/network/accounts"));
  const spacing = { medianSeconds: 0, minSeconds: 0 };
  const change = { workingHours: always, warmUp: null, sessions: null, spacing };
  const account = `/api/v2/network/accounts/${data.accounts[0]?.id}`;
  succeeded(await client.patch(account, change));
  await own.idle();
  const pass = async (hours: number): Promise<void> => {
    for (let hour = 0; hour < hours; hour += stepHours) {
      clock.advance(stepHours * hourMs);
      await own.idle();
      await own.watch();
      await own.idle();
    }
  };
  await run({ service: own, clock, client, account, pass });
}

testInProcess("a lead goes through visit, wait, request and thanks, and then is through", () =>
  fast("acceptances=100", async ({ client, pass }) => {
    const campaign = await newCampaign(client, [visit, wait(1), invite, whenConnected(14, [thank], [withdraw])]);
    const lead = await newLead(client, "Ada");
    expect(await enroll(client, campaign, [lead])).toMatchObject({ enrolled: 1, skipped: 0 });
    expect(await actionsOf(client)).toEqual([]);
    await turn(client, campaign, "start");
    await pass(2);
    expect(done(await actionsOf(client))).toEqual(["visitProfile"]);
    await pass(24 * 6);
    const actions = await actionsOf(client);
    expect(done(actions)).toEqual(["visitProfile", "sendConnectionRequest", "sendMessage"]);
    expect(actions.map(({ message }) => message)).toEqual([null, "Hello Ada", "Thank you, Ada!"]);
    expect(await enrollments(client, campaign)).toMatchObject([
      { leadId: lead.id, leadName: expect.stringMatching(/./), state: "completed", step: null },
    ]);
    const { data } = await client.get<CampaignStatistics>(`${campaignsPath}/${campaign.id}/statistics`);
    expect(data).toMatchObject({ enrolled: 1, completed: 1, connected: 1, connectionRate: 100, replied: 0 });
    expect(data.steps.map(({ completed: n }) => n)).toEqual([1, 1, 1, 0]);
  }),
);

testInProcess("who does not accept in time goes the other way", () =>
  fast("acceptances=0", async ({ client, pass }) => {
    const campaign = await newCampaign(client, [invite, whenConnected(3, [thank], [withdraw])]);
    await enroll(client, campaign, [await newLead(client, "Ada")]);
    await turn(client, campaign, "start");
    await pass(24 * 2);
    expect(done(await actionsOf(client))).toEqual(["sendConnectionRequest"]);
    await pass(24 * 2);
    expect(done(await actionsOf(client))).toEqual(["sendConnectionRequest", "withdrawConnectionRequest"]);
  }),
);

testInProcess("whom a colleague has invited is not invited, unless the campaign allows it", () =>
  fast("acceptances=0", async ({ client, account, pass }) => {
    const people = [await newLead(client, "Ada"), await newLead(client, "Ben")];
    const input = { name: "Sam", connector: "simulated", workingHours: always, warmUp: null, sessions: null };
    const { data: second } = succeeded(await client.post<AccountView>("/api/v2/network/accounts", input));
    const actionType = "sendConnectionRequest";
    for (const { networkUrl: profileUrl } of people)
      succeeded(
        await client.post("/api/v2/network/scheduleNetworkAction", { actionType, profileUrl, accountId: second.id }),
      );
    const accountIds = [account.split("/").at(-1)!];
    for (const [allowOverlap, ends] of [
      [false, { state: "stopped", reason: "invitedByColleague" }],
      [true, { state: "completed", reason: null }],
    ] as const) {
      const settings = { allowOverlap, excludeContactedDays: null };
      const campaign = await newCampaign(client, [invite], { accountIds, settings });
      expect(campaign.settings.allowOverlap).toBe(allowOverlap);
      await enroll(client, campaign, people);
      await turn(client, campaign, "start");
      await pass(24 * 2);
      expect(await enrollments(client, campaign)).toMatchObject([ends, ends]);
    }
  }),
);

testInProcess("a report that begins before the campaign stops the sequence by the reply in it", () =>
  fast("acceptances=100", async ({ client, pass, clock }) => {
    const campaign = await newCampaign(client, [thank, wait(2), thank]);
    const lead = await newLead(client, "Ada");
    await enroll(client, campaign, [lead]);
    await turn(client, campaign, "start");
    await pass(2);
    const said = (id: string, at: number) => ({ id, direction: "incoming", at: new Date(at).toISOString(), text: id });
    const messages = [said("years ago", clock.now() - 900 * 86_400_000), said("now", clock.now())];
    succeeded(
      await client.post("/api/v2/network/contacts/events", {
        profileUrl: lead.networkUrl,
        event: "messages",
        messages,
      }),
    );
    await pass(24 * 4);
    expect(await enrollments(client, campaign)).toMatchObject([{ state: "stopped", reason: "replied" }]);
  }),
);

testInProcess("a reply stops the sequence, and takes back what waited", () =>
  fast("acceptances=100", async ({ client, pass }) => {
    const campaign = await newCampaign(client, [thank, wait(2), thank]);
    const lead = await newLead(client, "Ada");
    await enroll(client, campaign, [lead]);
    await turn(client, campaign, "start");
    await pass(2);
    const news = { profileUrl: lead.networkUrl, event: "replied" };
    const told = succeeded(
      await client.post<{ isNew: boolean; newMessages: number }>("/api/v2/network/contacts/events", news),
    );
    expect(told.data).toEqual({ isNew: true, newMessages: 1 });
    await pass(24 * 4);
    expect(done(await actionsOf(client))).toEqual(["sendMessage"]);
    expect(await enrollments(client, campaign)).toMatchObject([{ state: "stopped", reason: "replied" }]);
    type EnrollmentList = { enrollments: EnrollmentView[]; total: number };
    const replies = async (outcome: string) => {
      const path = `${campaignsPath}/${campaign.id}/enrollments?state=stopped&outcome=${outcome}`;
      const { total, enrollments } = succeeded(await client.get<EnrollmentList>(path)).data;
      return [total, enrollments.map(({ leadId }) => leadId)];
    };
    expect(await replies("replied")).toEqual([1, [lead.id]]);
    expect(await replies("interested")).toEqual([0, []]);
    const unknown = await client.get(`${campaignsPath}/${campaign.id}/enrollments?outcome=contacted`);
    expect([unknown.status, unknown.body]).toMatchObject([400, { code: "VALIDATION_ERROR" }]);
  }),
);

testInProcess("a lead who writes before anything was sent is left alone, too", () =>
  fast("acceptances=100", async ({ client, pass }) => {
    const campaign = await newCampaign(client, [wait(2), invite]);
    const lead = await newLead(client, "Grace");
    await enroll(client, campaign, [lead]);
    await turn(client, campaign, "start");
    await pass(2);
    const news = { profileUrl: lead.networkUrl, event: "replied", text: "No thanks!" };
    const told = succeeded(
      await client.post<{ isNew: boolean; newMessages: number }>("/api/v2/network/contacts/events", news),
    );
    expect(told.data).toEqual({ isNew: true, newMessages: 1 });
    await pass(24 * 4);
    expect(done(await actionsOf(client))).toEqual([]);
    expect(await enrollments(client, campaign)).toMatchObject([{ state: "stopped", reason: "replied" }]);
  }),
);

testInProcess("who replies after the last step counts, for the campaign that wrote last, with the text", () =>
  fast("acceptances=100", async ({ client, pass }) => {
    const lead = await newLead(client, "Ada");
    const campaigns: CampaignView[] = [];
    for (const name of ["first", "second"]) {
      const settings = { excludeContactedDays: null, excludeOtherCampaigns: false };
      const campaign = await newCampaign(client, [{ ...thank, message: name }], { settings });
      await enroll(client, campaign, [lead]);
      await turn(client, campaign, "start");
      await pass(24 * 2);
      campaigns.push(campaign);
    }
    for (const text of ["Yes, please.", "Are you there?"]) {
      await client.post("/api/v2/network/contacts/events", { profileUrl: lead.networkUrl, event: "replied", text });
      await pass(1);
    }
    const statistics = async ({ id }: CampaignView) =>
      (await client.get<CampaignStatistics>(`${campaignsPath}/${id}/statistics`)).data;
    expect(await statistics(campaigns[1]!)).toMatchObject({ completed: 1, replied: 1, replyRate: 100 });
    expect(await statistics(campaigns[0]!)).toMatchObject({ completed: 1, replied: 0 });
    const query = { type: "message.replied", campaignId: campaigns[1]!.id, order: "asc" };
    const { data } = await client.get<{ events: EventView[] }>("/api/v2/events", { query });
    expect(data.events.map((event) => event.data["text"])).toEqual(["Yes, please.", "Are you there?"]);
  }),
);

testInProcess("who accepts after the last step counts as connected", () =>
  fast("acceptances=0", async ({ client, pass }) => {
    const campaign = await newCampaign(client, [invite]);
    const lead = await newLead(client, "Ada");
    await enroll(client, campaign, [lead]);
    await turn(client, campaign, "start");
    await pass(24 * 2);
    expect(await enrollments(client, campaign)).toMatchObject([{ state: "completed", connectedAt: null }]);
    const path = "/api/v2/network/contacts/events";
    succeeded(await client.post(path, { profileUrl: lead.networkUrl, event: "accepted" }));
    const { data } = await client.get<CampaignStatistics>(`${campaignsPath}/${campaign.id}/statistics`);
    expect(data).toMatchObject({ completed: 1, connected: 1, connectionRate: 100 });
    const withText = { profileUrl: lead.networkUrl, event: "accepted", text: "Hi" };
    expect((await client.post(path, withText)).status).toBe(400);
  }),
);

testInProcess("somebody who is put on the do-not-contact list on the way gets nothing more", () =>
  fast("acceptances=0", async ({ client, pass }) => {
    const campaign = await newCampaign(client, [visit, wait(1), invite]);
    const lead = await newLead(client, "Ada");
    await enroll(client, campaign, [lead]);
    await turn(client, campaign, "start");
    await pass(2);
    succeeded(await client.post("/api/v2/suppressions", { values: [lead.networkUrl] }));
    await pass(48);
    expect(done(await actionsOf(client))).toEqual(["visitProfile"]);
    expect(await enrollments(client, campaign)).toMatchObject([{ state: "stopped", reason: "doNotContact" }]);
  }),
);

testInProcess("a pause takes waiting actions back; they come again when it goes on, and nothing is sent twice", () =>
  fast("acceptances=0", async ({ client, pass }) => {
    const campaign = await newCampaign(client, [visit, invite]);
    const leads = [];
    for (let n = 0; n < 8; n++) leads.push(await newLead(client, `Person${n}`));
    await enroll(client, campaign, leads);
    await turn(client, campaign, "start");
    await pass(4);
    await turn(client, campaign, "pause");
    const before = done(await actionsOf(client)).length;
    expect(before).toBeGreaterThan(0);
    await pass(24);
    const open = await client.get<{ actions: ActionView[] }>("/api/v2/network/actions", { query: { state: "open" } });
    expect(open.data.actions).toEqual([]);
    expect(done(await actionsOf(client))).toHaveLength(before);
    await turn(client, campaign, "start");
    await pass(24 * 4);
    const { data } = await client.get<CampaignStatistics>(`${campaignsPath}/${campaign.id}/statistics`);
    expect(data.steps.map(({ completed: n }) => n)).toEqual([8, 8]);
    expect(data).toMatchObject({ completed: 8, active: 0 });
  }),
);

testInProcess("leads go on where they were after a restart", () =>
  fast("acceptances=0", async ({ service: own, client, pass }) => {
    const campaign = await newCampaign(client, [visit, wait(1), visit]);
    await enroll(client, campaign, [await newLead(client, "Ada")]);
    await turn(client, campaign, "start");
    await pass(2);
    await own.restart();
    await pass(48);
    expect(done(await actionsOf(client))).toEqual(["visitProfile", "visitProfile"]);
  }),
);

testInProcess("steps wait for approval; who cancels one ends the way of its lead", () =>
  fast("", async ({ service: own, client, account, pass }) => {
    succeeded(await client.patch(account, { requiresApproval: true }));
    const campaign = await newCampaign(client, [visit, wait(5), invite]);
    await enroll(client, campaign, [await newLead(client, "Ada"), await newLead(client, "Bob")]);
    await turn(client, campaign, "start");
    await own.idle();
    const [first, second] = await actionsOf(client);
    expect([first?.pendingReason, second?.pendingReason]).toEqual(["awaitingApproval", "awaitingApproval"]);
    await pass(24);
    expect(done(await actionsOf(client))).toEqual([]);
    succeeded(await client.post(`/api/v2/network/actions/${first?.jobId}/approve`));
    succeeded(await client.post(`/api/v2/network/actions/${second?.jobId}/cancel`));
    await pass(4);
    expect(done(await actionsOf(client))).toEqual(["visitProfile"]);
    const states = (await enrollments(client, campaign)).map(({ state }) => state);
    expect(states.toSorted()).toEqual(["active", "failed"]);
  }),
);

test("leads in another campaign, without a profile, or enrolled already are named with the reason", async () => {
  const client = await service.user();
  const first = await newCampaign(client, [visit]);
  const second = await newCampaign(client, [invite]);
  const [ada, bob] = [await newLead(client, "Ada"), await newLead(client, "Bob")];
  const nobody = await newLead(client, "Nobody", { networkUrl: null, email: "nobody@example.com" });
  await enroll(client, first, [ada]);
  const answer = await enroll(client, second, [ada, bob, nobody, { id: "unknown" }]);
  expect(answer).toMatchObject({ enrolled: 1, skipped: 3 });
  expect(Object.fromEntries(answer.results.map(({ leadId, outcome }) => [leadId, outcome]))).toEqual({
    [ada.id]: "inOtherCampaign",
    [bob.id]: "enrolled",
    [nobody.id]: "The lead has no profile URL.",
    unknown: "leadGone",
  });
  expect((await enroll(client, second, [bob])).results).toEqual([{ leadId: bob.id, outcome: "alreadyEnrolled" }]);
});

test("a lead without a value for a variable is not taken, and the variable is named", async () => {
  const client = await service.user();
  const steps: CampaignStep[] = [{ type: "action", actionType: "sendMessage", message: "How is {{company}}?" }];
  const campaign = await newCampaign(client, steps);
  const answer = await enroll(client, campaign, [await newLead(client, "Ada")]);
  expect(answer.results[0]?.outcome).toContain("{{company}} has no value");
});

test("leads are enrolled by tag, and uploads go straight into a campaign", async () => {
  const client = await service.user();
  const campaign = await newCampaign(client, [visit]);
  for (const name of ["Ada", "Bob"]) await newLead(client, name, { tags: ["spring"] });
  await newLead(client, "Carl");
  const byTag = await client.post<EnrollAnswer>(`${campaignsPath}/${campaign.id}/enroll`, { tag: "spring" });
  expect(succeeded(byTag).data).toMatchObject({ enrolled: 2, skipped: 0, hasMore: false });
  const prospects = [
    { name: "Carl Gauss", network_url: "https://network.example/in/carl" },
    { name: "Dora Maar", network_url: "https://network.example/in/dora" },
  ];
  const upload = await client.post("/api/v2/network/upload-prospects", { prospects, campaign_id: campaign.id });
  const report = upload.body as UploadAnswer;
  expect(report).toMatchObject({ uploaded_count: 1, skipped_count: 1 });
  expect(report.results.map(({ enrollment }) => enrollment)).toEqual(["enrolled", "enrolled"]);
  expect(await enrollments(client, campaign)).toHaveLength(4);
});

test("the preview tells when each step would go out, and what never would", async () => {
  const client = await service.user();
  const campaign = await newCampaign(client, [visit, wait(1), invite, whenConnected(7, [thank], [])]);
  const path = `${campaignsPath}/${campaign.id}/preview`;
  const { data } = succeeded(await client.post<PreviewView>(path, { leads: 30 }));
  expect(data.steps.map(({ actionType, count }) => [actionType, count])).toEqual([
    ["visitProfile", 30],
    ["sendConnectionRequest", 30],
    ["sendMessage", 30],
  ]);
  expect(data.first.map(({ actionType }) => actionType)).toEqual([
    "visitProfile",
    "sendConnectionRequest",
    "sendMessage",
  ]);
  expect(data.problems).toEqual([]);
  const accounts = await client.get<{ accounts: AccountView[] }>("/api/v2/network/accounts");
  const account = `/api/v2/network/accounts/${accounts.data.accounts[0]?.id}`;
  succeeded(await client.patch(account, { caps: { messages: { day: 0 } } }));
  const blocked = succeeded(await client.post<PreviewView>(path, { leads: 2 }));
  expect(blocked.data.problems).toEqual(["Step 4 (sendMessage) would never run: dailyLimit."]);
  succeeded(await client.patch(account, { caps: {}, state: "paused" }));
  const paused = succeeded(await client.post<PreviewView>(path, { leads: 2 }));
  expect(paused.data.problems).toEqual([expect.stringMatching(/^The account ".+" is paused and sends nothing until/)]);
});

test.each([
  ["no steps", { steps: [] }, "steps"],
  ["an unknown action", { steps: [{ type: "action", actionType: "dance" }] }, "steps.0"],
  ["a message without a text", { steps: [{ type: "action", actionType: "sendMessage" }] }, "steps.0.message"],
  ["a wait of no time", { steps: [{ type: "wait" }] }, "steps.0"],
  ["an unknown variable", { steps: [{ ...thank, message: "{{shoeSize}}" }] }, "steps.0.message"],
  ["a note that is too long", { steps: [{ ...invite, message: "x".repeat(301) }] }, "steps.0.message"],
  [
    "a broken step in a branch",
    { steps: [whenConnected(1, [{ ...thank, message: "" }], [])] },
    "steps.0.yes.0.message",
  ],
  ["an empty name", { name: " ", steps: [visit] }, "name"],
])("a campaign with %s is refused, and the place is named", async (_what, change, path) => {
  const client = await service.user();
  const answer = await client.post(campaignsPath, { name: "Spring", ...change });
  expect(answer.status).toBe(400);
  const paths = (answer.details?.["errors"] as { path: string }[]).map((error) => error.path);
  expect(paths.some((each) => each.startsWith(path))).toBe(true);
});

test("steps stay as they are once leads are on their way", async () => {
  const client = await service.user();
  const campaign = await newCampaign(client, [visit]);
  await turn(client, campaign, "start");
  const path = `${campaignsPath}/${campaign.id}`;
  expect((await client.patch(path, { steps: [invite] })).status).toBe(409);
  expect((await client.patch<CampaignView>(path, { name: "Summer" })).data.name).toBe("Summer");
  expect((await client.delete(path)).status).toBe(409);
  await turn(client, campaign, "cancel");
  expect((await client.post(`${path}/enroll`, { tag: "x" })).status).toBe(409);
  expect((await client.post(`${path}/start`)).status).toBe(409);
});

test("other users' campaigns, leads and accounts are out of reach", async () => {
  const [ada, eve] = [await service.user(), await service.user()];
  const campaign = await newCampaign(ada, [visit]);
  const path = `${campaignsPath}/${campaign.id}`;
  expect((await eve.get(path)).status).toBe(404);
  expect((await eve.post(`${path}/start`)).status).toBe(404);
  const { data } = await ada.get<{ accounts: AccountView[] }>("/api/v2/network/accounts");
  const stolen = { name: "x", steps: [visit], accountIds: [data.accounts[0]?.id] };
  expect((await eve.post(campaignsPath, stolen)).status).toBe(404);
  const own = await newCampaign(eve, [visit]);
  const answer = await enroll(eve, own, [await newLead(ada, "Ada")]);
  expect(answer.results[0]?.outcome).toBe("leadGone");
});
