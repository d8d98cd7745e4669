import type { CampaignView, EnrollmentView } from "../../src/features/campaigns/model.ts";
import type { LedgerEntryView } from "../../src/features/credits/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { WorkerClaimView } from "../../src/features/network/work-model.ts";
import type { NewEndpointView } from "../../src/features/webhooks/model.ts";
import type { NewInvitationView } from "../../src/features/workspaces/invitations/model.ts";
import type { Client } from "./client.ts";
import type { Found } from "./prospects.ts";
import { eventually, succeeded, type Service } from "./service.ts";
import { addMember } from "./team.ts";
import { beep, cloneForm, createClone, spokenWav } from "./voices.ts";

/**
 * stored: the key is stored with each change, and the response after the last one. nothing: only the response is stored.
 * sound: not even that. erased: like stored, but the response is erased together with the person that it is about.
 */
export type Keeping = "stored" | "nothing" | "sound" | "erased";

/** A request that the route carries out, for whoever `arrange` gives; it is one of its own each time. */
export type PostRequest = {
  client: Client;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Resolves when what it began outside of the database is over. */
  over?: () => Promise<unknown>;
};

export type PostRoute = { keeping: Keeping; arrange: (world: World) => Promise<PostRequest> };

/** A simulation, and a user of it whom no other request knows of. */
export type World = { service: Service; user: Client };

const api = "/api/v2";
const csv = { "content-type": "text/csv" };
let made = 0;
const name = (text = "ada") => `${text}${made++}`;
const profileOf = (text: string) => `https://network.example/in/${text}`;

async function posted<T>(client: Client, path: string, body?: unknown): Promise<T> {
  return succeeded(await client.post<T>(api + path, body)).data;
}

const stored = (arrange: PostRoute["arrange"]): PostRoute => ({ keeping: "stored", arrange });
const nothing = (arrange: PostRoute["arrange"]): PostRoute => ({ keeping: "nothing", arrange });

/** To a path of the API, by the user, with this body. */
const by = (client: Client, path: string, body?: unknown, headers?: Record<string, string>): PostRequest => ({
  client,
  path: api + path,
  body,
  ...(headers && { headers }),
});

const newLead = (user: Client, more: object = {}) =>
  posted<LeadView>(user, "/leads", { email: `${name()}@example.com`, networkUrl: profileOf(name()), ...more });

const always = Object.fromEntries(
  ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [
    day,
    [{ from: "00:00", to: "24:00" }],
  ]),
);

/** An account that acts at any hour. */
async function newAccount(user: Client, connector: string): Promise<string> {
  const pace = { sessions: null, warmUp: null, jitterPercent: 0 };
  return (
    await posted<AccountView>(user, "/network/accounts", {
      name: name("Account"),
      connector,
      workingHours: always,
      ...pace,
    })
  ).id;
}

async function scheduled(user: Client, accountId: string | undefined, more: object = {}): Promise<string> {
  const action = {
    actionType: "visitProfile",
    profileUrl: profileOf(name()),
    ...(accountId && { accountId }),
    ...more,
  };
  return (await posted<{ jobId: string }>(user, "/network/scheduleNetworkAction", action)).jobId;
}

/** An action that has been carried out, as far as its connector does that by itself. */
async function actedUpon({ service, user }: World, connector: string, profile: string): Promise<string> {
  const jobId = await scheduled(user, await newAccount(user, connector), { profileUrl: profileOf(name(profile)) });
  await eventually("the action to be carried out", async () => {
    await posted(service.admin, "/simulation/clock", { advance: "PT10S" });
    const { data } = await user.get<{ state: string }>(`${api}/network/actions/${jobId}`);
    return data.state === "scheduled" ? null : true;
  });
  return jobId;
}

async function claimed({ service, user }: World): Promise<{ jobId: string; claim: number }> {
  const accountId = await newAccount(user, "worker");
  await scheduled(user, accountId);
  return eventually("an action for the worker", async () => {
    await posted(service.admin, "/simulation/clock", { advance: "PT1M" });
    return (await posted<WorkerClaimView>(user, "/network/worker/claim", { accountId })).claimed;
  });
}

const visit = [
  { type: "wait", days: 1 },
  { type: "action", actionType: "visitProfile" },
];

async function newCampaign(user: Client, path = ""): Promise<string> {
  const { id } = await posted<CampaignView>(user, "/campaigns", { name: name("Spring"), steps: visit });
  for (const step of path.split("/").filter(Boolean)) await posted(user, `/campaigns/${id}/${step}`);
  return id;
}

async function enrolled(user: Client): Promise<{ campaign: string; enrollment: string }> {
  const campaign = await newCampaign(user, "start");
  await posted(user, `/campaigns/${campaign}/enroll`, { leadIds: [(await newLead(user)).id] });
  const { data } = await user.get<{ enrollments: EnrollmentView[] }>(`${api}/campaigns/${campaign}/enrollments`);
  return { campaign, enrollment: data.enrollments[0]!.id };
}

/** Somebody who is connected and has written. */
async function newConversation(user: Client): Promise<string> {
  const profileUrl = profileOf(name());
  await posted(user, "/network/actions/record", { actionType: "sendConnectionRequest", profileUrl });
  await posted(user, "/network/contacts/events", { profileUrl, event: "accepted" });
  await posted(user, "/network/contacts/events", { profileUrl, event: "replied", text: "Hello!" });
  const { data } = await user.get<{ conversations: { id: string }[] }>(`${api}/inbox/conversations`);
  return data.conversations[0]!.id;
}

const newEndpoint = (user: Client, more: object = {}) =>
  posted<NewEndpointView>(user, "/webhooks", { url: "http://127.0.0.1:9/", isEnabled: true, ...more });

async function newClone(user: Client): Promise<string> {
  return succeeded(await createClone(user, [["a.wav", beep(made++)]])).data.voiceId;
}

async function newProspect(user: Client): Promise<string> {
  const found = await posted<Found>(user, "/prospecting/search", { source: "apollo", limit: 1 });
  return found.prospects[0]!.id;
}

async function keyOf(user: Client): Promise<string> {
  return (await posted<NewKeyView>(user, "/keys", { name: "robot", permissions: ["leads:read"] })).id;
}

/** Every POST of the OpenAPI document by its path, without `/mail/test`: a simulation sends no mail. */
export const postRoutes: Record<string, PostRoute> = {
  "/users": stored(async ({ service }) => by(service.admin, "/users", { email: `${name()}@example.com` })),
  "/users/{userId}/credits": stored(async ({ service, user }) =>
    by(service.admin, `/users/${user.userId}/credits`, { amount: 5 }),
  ),
  "/users/{userId}/credits/adjust": stored(async ({ service, user }) =>
    by(service.admin, `/users/${user.userId}/credits/adjust`, { amount: -5 }),
  ),
  "/users/{userId}/credits/refund": stored(async ({ service, user }) => {
    await newProspect(user);
    const { data } = await user.get<{ entries: LedgerEntryView[] }>(`${api}/credits/ledger`);
    const { request, item } = data.entries.find((entry) => entry.item !== null)!;
    return by(service.admin, `/users/${user.userId}/credits/refund`, { request, item });
  }),
  "/workspaces": stored(async ({ service }) => by(service.admin, "/workspaces", { name: name("Workspace") })),
  "/members/{memberId}/transfer-ownership": stored(async ({ service, user }) => {
    const member = await addMember(service, user, "admin");
    return by(user, `/members/${member.userId}/transfer-ownership`);
  }),
  "/invitations": stored(async ({ user }) =>
    by(user, "/invitations", { email: `${name()}@example.com`, role: "member" }),
  ),
  "/invitations/join": stored(async ({ service, user }) => {
    const email = `${name()}@example.com`;
    const newcomer = await service.user({ email });
    const invited = await posted<NewInvitationView>(user, "/invitations", { email, role: "member" });
    return by(newcomer, "/invitations/join", { token: invited.url.split("#")[1] });
  }),
  // Credits are reserved before anybody is asked, and settled afterwards.
  "/enrich": stored(async ({ user }) => by(user, "/enrich", { leads: [{ email: `${name()}@example.com` }] })),
  "/enrich/companies": stored(async ({ user }) =>
    by(user, "/enrich/companies", { companies: [{ domain: `${name()}.example` }] }),
  ),
  "/enrich/providers/{provider}/test": nothing(async ({ service }) =>
    by(service.admin, "/enrich/providers/simulated/test", { email: `${name()}@example.com` }),
  ),
  "/keys": stored(async ({ user }) => by(user, "/keys", { name: "robot", permissions: ["leads:read"] })),
  "/keys/{keyId}/regenerate": stored(async ({ user }) => by(user, `/keys/${await keyOf(user)}/regenerate`)),
  // All that happens until then is stored while it does.
  "/simulation/clock": stored(async ({ service }) => by(service.admin, "/simulation/clock", { advance: "PT1M" })),
  "/privacy/export": nothing(async ({ user }) => by(user, "/privacy/export", { leadId: (await newLead(user)).id })),
  "/privacy/erase": {
    keeping: "erased",
    arrange: async ({ user }) => by(user, "/privacy/erase", { email: `${name()}@example.com`, dryRun: false }),
  },
  "/keys/{keyId}/link": stored(async ({ user }) => by(user, `/keys/${await keyOf(user)}/link`)),
  "/leads/import": stored(async ({ user }) => by(user, "/leads/import", `email\n${name()}@example.com\n`, csv)),
  "/leads/import/preview": nothing(async ({ user }) =>
    by(user, "/leads/import/preview", `email\n${name()}@example.com\n`, csv),
  ),
  "/leads/import/{jobId}/failed-rows": nothing(async ({ service, user }) => {
    const file = `email\n${name()}@example.com\nno address\n`;
    const job = succeeded(await user.post<JobView>(`${api}/leads/import`, file, { headers: csv })).data;
    await service.ended(user, job.id);
    return by(user, `/leads/import/${job.id}/failed-rows`, file, csv);
  }),
  "/leads/bulk": stored(async ({ user }) => {
    await newLead(user);
    return by(user, "/leads/bulk", { filter: {}, status: "contacted" });
  }),
  "/leads/bulk/update": stored(async ({ user }) => {
    const leads = await Promise.all(Array.from({ length: 20 }, () => newLead(user)));
    return by(user, "/leads/bulk/update", { ids: leads.map(({ id }) => id), status: "contacted" });
  }),
  "/leads/bulk/delete": stored(async ({ user }) => {
    const leads = await Promise.all(Array.from({ length: 20 }, () => newLead(user)));
    return by(user, "/leads/bulk/delete", { ids: leads.map(({ id }) => id) });
  }),
  "/leads/{leadId}/merge": stored(async ({ user }) => {
    const [lead, other] = [await newLead(user), await newLead(user, { networkUrl: null })];
    return by(user, `/leads/${lead.id}/merge`, { otherId: other.id });
  }),
  "/leads/views": stored(async ({ user }) => by(user, "/leads/views", { name: name("View"), filters: {} })),
  "/leads": stored(async ({ user }) => by(user, "/leads", { email: `${name()}@example.com` })),
  "/suppressions": stored(async ({ user }) =>
    by(user, "/suppressions", { values: Array.from({ length: 250 }, () => `${name()}@example.com`) }),
  ),
  "/suppressions/check": nothing(async ({ user }) =>
    by(user, "/suppressions/check", { email: `${name()}@example.com` }),
  ),
  "/suppressions/import": stored(async ({ user }) =>
    by(user, "/suppressions/import", `email\n${name()}@example.com\n`, csv),
  ),
  "/suppressions/{suppressionId}/erase": stored(async ({ user }) => {
    const { results } = await posted<{ results: { id: string }[] }>(user, "/suppressions", {
      values: [`${name()}@example.com`],
    });
    return by(user, `/suppressions/${results[0]?.id}/erase`);
  }),
  "/prospecting/import": stored(async ({ user }) =>
    by(user, "/prospecting/import", `email,first name\n${name()}@example.com,Ada\n`, csv),
  ),
  // Credits are reserved before a service outside is asked, and settled afterwards.
  "/prospecting/search": stored(async ({ user }) => by(user, "/prospecting/search", { source: "apollo", limit: 3 })),
  "/prospecting/facets": nothing(async ({ user }) => by(user, "/prospecting/facets", {})),
  "/prospecting/prospects/{prospectId}/lead": stored(async ({ user }) =>
    by(user, `/prospecting/prospects/${await newProspect(user)}/lead`),
  ),
  "/prospecting/searches": stored(async ({ user }) =>
    by(user, "/prospecting/searches", { name: name("Search"), filters: {} }),
  ),
  // People whom the workspace has imported are free.
  "/prospecting/searches/{searchId}/run": nothing(async ({ service, user }) => {
    const file = `email,first name\n${name()}@example.com,Ada\n`;
    const job = succeeded(await user.post<JobView>(`${api}/prospecting/import`, file, { headers: csv })).data;
    await service.ended(user, job.id);
    const { id } = await posted<{ id: string }>(user, "/prospecting/searches", { name: name("Search"), filters: {} });
    return by(user, `/prospecting/searches/${id}/run`);
  }),
  "/users/jobs/{jobId}/cancel": stored(async ({ user }) =>
    by(user, `/users/jobs/${await scheduled(user, undefined, { notBefore: "2026-06-01" })}/cancel`),
  ),
  "/users/jobs/{jobId}/retry": stored(async ({ user }) => {
    const jobId = await scheduled(user, undefined, { notBefore: "2026-06-01" });
    await posted(user, `/users/jobs/${jobId}/cancel`);
    return by(user, `/users/jobs/${jobId}/retry`);
  }),
  "/network/scheduleNetworkAction": stored(async ({ user }) =>
    by(user, "/network/scheduleNetworkAction", { actionType: "visitProfile", profileUrl: profileOf(name()) }),
  ),
  "/network/actions/record": stored(async ({ user }) =>
    by(user, "/network/actions/record", { actionType: "visitProfile", profileUrl: profileOf(name()) }),
  ),
  "/network/actions/{jobId}/cancel": stored(async ({ user }) =>
    by(user, `/network/actions/${await scheduled(user, undefined, { notBefore: "2026-06-01" })}/cancel`),
  ),
  "/network/actions/{jobId}/approve": stored(async ({ user }) =>
    by(user, `/network/actions/${await scheduled(user, undefined, { requireApproval: true })}/approve`),
  ),
  "/network/actions/{jobId}/resolve": stored(async (world) =>
    by(world.user, `/network/actions/${await actedUpon(world, "simulated", "unknown")}/resolve`, {
      outcome: "completed",
    }),
  ),
  "/network/accounts": stored(async ({ user }) => by(user, "/network/accounts", { name: name("Second") })),
  "/network/accounts/{accountId}/plan": nothing(async ({ user }) =>
    by(user, `/network/accounts/${await newAccount(user, "simulated")}/plan`, { caps: {} }),
  ),
  "/network/tasks/{jobId}/complete": stored(async (world) =>
    by(world.user, `/network/tasks/${await actedUpon(world, "manual", "ada")}/complete`, { outcome: "completed" }),
  ),
  "/network/actions/{jobId}/outcome": stored(async (world) =>
    by(world.user, `/network/actions/${await actedUpon(world, "simulated", "slow")}/outcome`, { outcome: "completed" }),
  ),
  "/network/worker/claim": stored(async ({ service, user }) => {
    const accountId = await newAccount(user, "worker");
    await scheduled(user, accountId);
    await posted(service.admin, "/simulation/clock", { advance: "PT1H" });
    return by(user, "/network/worker/claim", { accountId });
  }),
  "/network/worker/{jobId}/heartbeat": stored(async (world) => {
    const { jobId, claim } = await claimed(world);
    return by(world.user, `/network/worker/${jobId}/heartbeat`, { claim });
  }),
  "/network/worker/{jobId}/complete": stored(async (world) => {
    const { jobId, claim } = await claimed(world);
    return by(world.user, `/network/worker/${jobId}/complete`, { claim, outcome: "completed" });
  }),
  // Two slices of rows, and two for the campaign.
  "/network/upload-prospects": stored(async ({ user }) => {
    const prospects = Array.from({ length: 60 }, () => ({ name: "Ada Lovelace", network_url: profileOf(name()) }));
    return by(user, "/network/upload-prospects", { prospects, campaign_id: await newCampaign(user) });
  }),
  "/network/contacts/events": stored(async ({ user }) => {
    const profileUrl = profileOf(name());
    await posted(user, "/network/actions/record", { actionType: "sendConnectionRequest", profileUrl });
    return by(user, "/network/contacts/events", { profileUrl, event: "accepted" });
  }),
  "/inbox/conversations/{conversationId}/reply": stored(async ({ user }) =>
    by(user, `/inbox/conversations/${await newConversation(user)}/reply`, { message: name("Hello") }),
  ),
  "/inbox/snippets": stored(async ({ user }) =>
    by(user, "/inbox/snippets", { name: name("Thanks"), text: "Thank you!" }),
  ),
  "/campaigns": stored(async ({ user }) => by(user, "/campaigns", { name: name("Spring"), steps: visit })),
  "/campaigns/{campaignId}/duplicate": stored(async ({ user }) =>
    by(user, `/campaigns/${await newCampaign(user)}/duplicate`, {}),
  ),
  "/campaigns/{campaignId}/start": stored(async ({ user }) => by(user, `/campaigns/${await newCampaign(user)}/start`)),
  "/campaigns/{campaignId}/pause": stored(async ({ user }) =>
    by(user, `/campaigns/${(await enrolled(user)).campaign}/pause`),
  ),
  "/campaigns/{campaignId}/cancel": stored(async ({ user }) =>
    by(user, `/campaigns/${(await enrolled(user)).campaign}/cancel`),
  ),
  "/campaigns/{campaignId}/enroll": stored(async ({ user }) => {
    const leads = await Promise.all(Array.from({ length: 70 }, () => newLead(user)));
    return by(user, `/campaigns/${await newCampaign(user)}/enroll`, { leadIds: leads.map(({ id }) => id) });
  }),
  "/campaigns/{campaignId}/enrollments/{enrollmentId}/stop": stored(async ({ user }) => {
    const { campaign, enrollment } = await enrolled(user);
    return by(user, `/campaigns/${campaign}/enrollments/${enrollment}/stop`);
  }),
  "/campaigns/{campaignId}/preview": nothing(async ({ user }) =>
    by(user, `/campaigns/${await newCampaign(user)}/preview`, {}),
  ),
  "/webhooks": stored(async ({ user }) => by(user, "/webhooks", { url: "http://127.0.0.1:9/" })),
  "/webhooks/{endpointId}/rotate": stored(async ({ user }) =>
    by(user, `/webhooks/${(await newEndpoint(user)).id}/rotate`, {}),
  ),
  "/webhooks/{endpointId}/test": stored(async ({ user }) => by(user, `/webhooks/${(await newEndpoint(user)).id}/test`)),
  "/webhooks/{endpointId}/replay": stored(async ({ user }) => {
    const { id } = await newEndpoint(user, { events: ["key.*"] });
    for (let n = 0; n < 3; n++) await newLead(user);
    succeeded(await user.patch(`${api}/webhooks/${id}`, { events: ["*"] }));
    return by(user, `/webhooks/${id}/replay`, { from: "2020-01-01", include: "all" });
  }),
  "/webhooks/{endpointId}/deliveries/{deliveryId}/replay": stored(async ({ user }) => {
    const { id } = await newEndpoint(user);
    const delivery = await posted<{ id: string }>(user, `/webhooks/${id}/test`);
    return by(user, `/webhooks/${id}/deliveries/${delivery.id}/replay`);
  }),
  "/notifications/read": stored(async ({ user }) => {
    await newConversation(user);
    const notifications = await eventually("a notification", async () => {
      const { data } = await user.get<{ notifications: { id: string }[] }>(`${api}/notifications`);
      return data.notifications.length > 0 ? data.notifications : null;
    });
    return by(user, "/notifications/read", { until: notifications[0]!.id });
  }),
  "/voice-clones": stored(async ({ user }) => ({
    client: user,
    path: `${api}/voice-clones`,
    body: cloneForm([["a.wav", beep(made++)]]),
  })),
  "/voice-clones/check": nothing(async ({ user }) => ({
    client: user,
    path: `${api}/voice-clones/check`,
    body: cloneForm([["a.wav", beep(made++)]], { name: null }),
  })),
  "/voice-clones/{voiceId}/train": stored(async ({ user }) => by(user, `/voice-clones/${await newClone(user)}/train`)),
  "/voice-clones/{voiceId}/preview": {
    keeping: "sound",
    async arrange({ service, user }) {
      const { voiceId, jobId } = succeeded(await createClone(user, [["a.wav", await spokenWav(15)]])).data;
      await service.ended(user, jobId);
      return by(user, `/voice-clones/${voiceId}/preview`, { text: "Good morning." });
    },
  },
  "/voice-clones/{voiceId}/samples": stored(async ({ user }) => ({
    client: user,
    path: `${api}/voice-clones/${await newClone(user)}/samples`,
    body: cloneForm([["b.wav", beep(made++)]], { name: null }),
  })),
  // It is made beside the database.
  "/backups": nothing(async ({ service }) => {
    const over = () =>
      eventually("the end of the backup", async () => {
        const { data } = await service.admin.get<{ running: unknown }>(`${api}/backups`);
        return data.running === null ? true : null;
      });
    await over(); // of the backup of another test
    return { ...by(service.admin, "/backups", {}), over };
  }),
};
