import { afterAll, expect, test } from "bun:test";
import type { CampaignView } from "../../src/features/campaigns/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import { weekdays, type AccountView } from "../../src/features/network/account-model.ts";
import type { WorkerClaimView } from "../../src/features/network/work-model.ts";
import type { Client } from "../support/client.ts";
import { errorPaths, path as schedulePath, request, schedule } from "../support/network-api.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";
import { addMember } from "../support/team.ts";

const service = await startService({ settings: { CONNECTOR: "manual", ACKNOWLEDGE_NETWORK_RISK: "true" } });
afterAll(() => service[Symbol.asyncDispose]());

const accountsPath = "/api/v2/network/accounts";

/** Bob has an account of his own, which he does not share; Eve has none, and Ada owns the workspace and its first account. */
async function team() {
  const ada = await service.user();
  const [bob, eve, admin] = [
    await addMember(service, ada, "member"),
    await addMember(service, ada, "member"),
    await addMember(service, ada, "admin"),
  ];
  const input = { name: "Bob's", connector: "manual", isShared: false };
  const bobs = succeeded(await bob.post<AccountView>(accountsPath, input)).data;
  return { ada, bob, eve, admin, bobs, bobsPath: `${accountsPath}/${bobs.id}` };
}

const accountsOf = async (client: Client) =>
  succeeded(await client.get<{ accounts: AccountView[] }>(accountsPath)).data.accounts;

test("accounts belong to who created them, and everybody sees them", async () => {
  const { ada, bob, eve } = await team();
  expect(await accountsOf(eve)).toMatchObject([
    { memberId: ada.userId, isShared: true },
    { memberId: bob.userId, isShared: false },
  ]);
});

test("members act with their own account unless they choose a shared one", async () => {
  const { ada, bob, eve, bobs } = await team();
  const [shared] = await accountsOf(ada);
  const used = async (client: Client, name: string, change = {}) => {
    const { jobId } = await schedule(client, name, change);
    const { data } = await client.get<{ accountId: string }>(`/api/v2/network/actions/${jobId}`);
    return data.accountId;
  };
  expect(await used(bob, "one")).toBe(bobs.id);
  expect(await used(bob, "two", { accountId: shared?.id })).toBe(shared!.id);
  expect(await used(eve, "three")).toBe(shared!.id);
});

test("with an account that is not shared, only its member, owners, and admins act", async () => {
  const { ada, bob, eve, admin, bobs, bobsPath } = await team();
  const accountId = bobs.id;
  const { jobId } = await schedule(bob, "ada", { requireApproval: true });
  const lead = { firstName: "Ada", networkUrl: "https://network.example/in/ada-l" };
  const { data: newLead } = succeeded(await bob.post<LeadView>("/api/v2/leads", lead));
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const campaign = { name: "Spring", steps, accountIds: [accountId] };
  const { data: started } = succeeded(await bob.post<CampaignView>("/api/v2/campaigns", campaign));
  const campaignPath = `/api/v2/campaigns/${started.id}`;
  const news = { accountId, profileUrl: lead.networkUrl, event: "accepted" };
  const attempts: [name: string, (client: Client) => Promise<{ status: number; code?: string | undefined }>][] = [
    ["schedule", (client) => client.post(schedulePath, request("ben", { accountId }))],
    ["dry run", (client) => client.post(schedulePath, request("cy", { accountId, dryRun: true }))],
    ["record", (client) => client.post("/api/v2/network/actions/record", request("di", { accountId }))],
    ["edit", (client) => client.patch(`/api/v2/network/actions/${jobId}`, { message: "Hi" })],
    ["report", (client) => client.post("/api/v2/network/contacts/events", news)],
    ["change", (client) => client.patch(bobsPath, { name: "Bob's own" })],
    ["share", (client) => client.patch(bobsPath, { isShared: false })],
    ["campaign", (client) => client.post("/api/v2/campaigns", campaign)],
    ["rename", (client) => client.patch(campaignPath, { name: "Summer" })],
    ["enroll", (client) => client.post(`${campaignPath}/enroll`, { leadIds: [newLead.id] })],
    [
      "upload",
      (client) =>
        client.post("/api/v2/network/upload-prospects", {
          campaign_id: started.id,
          prospects: [{ ...lead, firstName: "Eda", networkUrl: `${lead.networkUrl}-2` }],
        }),
    ],
    ["start", (client) => client.post(`${campaignPath}/start`)],
    ["pause", (client) => client.post(`${campaignPath}/pause`)],
    ["cancel job", (client) => client.post(`/api/v2/users/jobs/${jobId}/cancel`)],
    ["retry job", (client) => client.post(`/api/v2/users/jobs/${jobId}/retry`)],
    ["cancel", (client) => client.post(`/api/v2/network/actions/${jobId}/cancel`)],
  ];
  for (const [name, attempt] of attempts) {
    const refused = await attempt(eve);
    expect([name, refused.status, refused.code]).toEqual([name, 403, "PERMISSION_DENIED"]);
  }
  expect((await eve.get(bobsPath)).status).toBe(200);
  expect((await eve.get(`${bobsPath}/usage`)).status).toBe(200);
  // Whoever is refused is told what to do; whoever is not, is not refused for another reason.
  for (const [name, attempt] of attempts.slice(0, -1)) {
    const answer = await attempt(name === "schedule" || name === "record" || name === "start" ? bob : admin);
    expect([name, answer.status]).toEqual([name, 200]);
  }
  expect((await ada.post(`/api/v2/network/actions/${jobId}/cancel`)).status).toBe(200);
  expect((await eve.delete(bobsPath)).status).toBe(403);
});

testInProcess("tasks, and the claims of workers, keep to the accounts that one may use", async () => {
  const { ada, bob, eve, bobs, bobsPath } = await team();
  const { jobId } = await schedule(bob, "ada");
  const done = { outcome: "completed" };
  expect((await eve.post(`/api/v2/network/tasks/${jobId}/complete`, done)).status).toBe(403);
  const always = Object.fromEntries(weekdays.map((day) => [day, [{ from: "00:00", to: "24:00" }]]));
  const eager = { workingHours: always, warmUp: null, sessions: null, spacing: { medianSeconds: 0, minSeconds: 0 } };
  succeeded(await bob.patch(bobsPath, { connector: "worker", ...eager }));
  await schedule(bob, "ben");
  await service.idle();
  const claim = "/api/v2/network/worker/claim";
  expect((await eve.post(claim, { accountId: bobs.id })).status).toBe(403);
  expect((await eve.post(claim, {})).data).toMatchObject({ claimed: null });
  const { data } = await ada.post<WorkerClaimView>(claim, {});
  expect(data).toMatchObject({ claimed: { accountId: bobs.id } });
  const worker = `/api/v2/network/worker/${data.claimed?.jobId}`;
  const held = { claim: data.claimed?.claim };
  expect((await eve.post(`${worker}/heartbeat`, held)).status).toBe(403);
  expect((await eve.post(`${worker}/complete`, { ...held, outcome: "completed" })).status).toBe(403);
  expect((await bob.post(`${worker}/complete`, { ...held, outcome: "completed" })).status).toBe(200);
});

test("only its member, owners, and admins say whose account it is, and who else acts with it", async () => {
  const { ada, bob, eve, bobsPath } = await team();
  const [shared] = await accountsOf(ada);
  const sharedPath = `${accountsPath}/${shared?.id}`;
  for (const change of [{ isShared: false }, { memberId: eve.userId }, { memberId: null }])
    expect((await eve.patch(sharedPath, change)).status).toBe(403);
  // What stays as it is may be sent along.
  const same = { name: "Team", isShared: true, memberId: ada.userId };
  expect((await eve.patch(sharedPath, same)).data).toMatchObject(same);
  expect(errorPaths(await bob.patch(bobsPath, { memberId: crypto.randomUUID() }))).toEqual(["memberId"]);
  expect((await bob.post(accountsPath, { name: "x", memberId: (await service.user()).userId })).status).toBe(400);
  expect((await bob.post(accountsPath, { name: "Eve's", memberId: eve.userId })).data).toMatchObject({
    memberId: eve.userId,
  });
  expect((await bob.patch(bobsPath, { memberId: eve.userId })).data).toMatchObject({ memberId: eve.userId });
  expect((await bob.patch(bobsPath, { name: "Mine" })).status).toBe(403);
});

test("a removed member's accounts go to a colleague, or to nobody", async () => {
  const { ada, bob, eve } = await team();
  const removal = (member: Client, query: string) => `/api/v2/members/${member.userId}${query}`;
  expect(errorPaths(await ada.delete(removal(bob, "?accountsTo=nobody")))).toEqual(["accountsTo"]);
  succeeded(await ada.delete(removal(bob, `?accountsTo=${eve.userId}`)));
  expect((await accountsOf(ada))[1]).toMatchObject({ memberId: eve.userId, isShared: false });
  succeeded(await ada.delete(removal(eve, "")));
  expect((await accountsOf(ada))[1]).toMatchObject({ memberId: null, isShared: false });
});
