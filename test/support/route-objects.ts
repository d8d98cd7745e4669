import type { CampaignView, EnrollmentView } from "../../src/features/campaigns/model.ts";
import type { ConversationView } from "../../src/features/inbox/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { WorkerClaimView } from "../../src/features/network/work-model.ts";
import type { NewEndpointView } from "../../src/features/webhooks/model.ts";
import type { NewInvitationView } from "../../src/features/workspaces/invitations/model.ts";
import type { OpenSessionView } from "../../src/features/workspaces/sessions/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { EventView } from "../../src/platform/events/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "./client.ts";
import type { Found } from "./prospects.ts";
import type { RouteWorld } from "./route-world.ts";
import { eventually, succeeded, type Service } from "./service.ts";
import { addMember } from "./team.ts";
import { beep, cloneForm, clonesPath, type Created } from "./voices.ts";

/** In every name and text of the workspace under test: no response to a stranger contains it. */
export const mark = "Zylvanex";

/** One object of every kind in a workspace. The names of IDs are those of the parameters of routes. */
export type RouteObjects = {
  owner: Client;
  member: Client;
  ids: Readonly<Record<string, string>>;
  profileUrl: string;
  email: string;
  /** Number of a worker's claim. */
  claim: number;
};

const api = "/api/v2";
export const csv = { "content-type": "text/csv" };
const email = `${mark.toLowerCase()}@lead.example`;
const profileUrl = `https://network.example/in/${mark.toLowerCase()}`;

const wholeWeek = Object.fromEntries(
  ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [
    day,
    [{ from: "00:00", to: "24:00" }],
  ]),
);
const calm = { workingHours: wholeWeek, sessions: null, warmUp: null, jitterPercent: 0 };

async function posted<T>(client: Client, path: string, body?: unknown, headers = {}): Promise<T> {
  return succeeded(await client.post<T>(api + path, body, { headers })).data;
}

/** Fills a new workspace with one object of every kind, each with the mark in its texts. */
export async function createObjects(world: RouteWorld): Promise<RouteObjects> {
  const { service } = world;
  const owner = await service.user({
    name: `${mark} Owner`,
    email: `${crypto.randomUUID()}@${mark.toLowerCase()}.example`,
  });
  const people = await createPeople(service, owner);
  const imports = await runImports(service, owner);
  const { claim, ...actions } = await createActions(world, owner, imports.leadId);
  const others = await createOthers(world, owner);
  const voice = await createVoice(service, owner);
  const { data } = succeeded(await owner.get<{ events: EventView[] }>(`${api}/events`));
  const ids = {
    ...people,
    ...imports,
    ...actions,
    ...others,
    ...voice,
    userId: owner.userId,
    workspaceId: owner.userId,
    memberId: people.member.userId,
    eventId: data.events[0]?.id ?? "",
    provider: world.provider,
  };
  const { member, ...all } = { ...ids, member: people.member };
  return { owner, member, ids: all, profileUrl, email, claim };
}

async function createPeople(service: Service, owner: Client) {
  const member = await addMember(service, owner, "member");
  const successor = await addMember(service, owner, "admin");
  const key = await posted<NewKeyView>(owner, "/keys", { name: `${mark} key`, permissions: ["leads:read"] });
  const invitation = await posted<NewInvitationView>(owner, "/invitations", {
    email: `invited@${mark.toLowerCase()}.example`,
    role: "viewer",
  });
  const headers = { "content-type": "application/json", "x-outreachd-page": "1" };
  await fetch(`${service.url}/app/session`, { method: "POST", headers, body: JSON.stringify({ key: owner.key }) });
  const { sessions } = succeeded(await owner.get<{ sessions: OpenSessionView[] }>(`${api}/sessions`)).data;
  return {
    member,
    successorId: successor.userId,
    keyId: key.id,
    invitationId: invitation.id,
    identityId: "of-no-issuer",
    sessionId: sessions[0]!.id,
  };
}

async function runImports(service: Service, owner: Client) {
  const lead = await posted<LeadView>(owner, "/leads", {
    ...{ email, networkUrl: profileUrl, firstName: mark, notes: `${mark} notes`, tags: [mark] },
  });
  const rows = `email,first name\nimported@${mark.toLowerCase()}.example,${mark}\n`;
  const leads = await posted<JobView>(owner, "/leads/import", `${rows}wrong,${mark}\n`, csv);
  const prospects = await posted<JobView>(owner, "/prospecting/import", `${rows}wrong,${mark}\n`, csv);
  const enrichment = await posted<{ jobId: string }>(owner, "/enrich", { leads: [{ leadId: lead.id }] });
  for (const id of [leads.id, prospects.id, enrichment.jobId]) await service.ended(owner, id);
  const found = await posted<Found>(owner, "/prospecting/search", { filters: {} });
  const view = await posted<{ id: string }>(owner, "/leads/views", { name: `${mark} view`, filters: {} });
  const search = await posted<{ id: string }>(owner, "/prospecting/searches", { name: `${mark} search`, filters: {} });
  return {
    leadId: lead.id,
    leadImportId: leads.id,
    prospectImportId: prospects.id,
    enrichmentId: enrichment.jobId,
    prospectId: found.prospects[0]!.id,
    searchId: search.id,
    viewId: view.id,
  };
}

async function createActions(world: RouteWorld, owner: Client, leadId: string) {
  const account = (connector: string) =>
    posted<AccountView>(owner, "/network/accounts", { name: `${mark} ${connector}`, connector, ...calm });
  const [manual, worker, sending] = [await account("manual"), await account("worker"), await account("simulated")];
  const schedule = async (person: string, more: object) => {
    const url = `https://network.example/in/${person}-${mark.toLowerCase()}`;
    const action = { actionType: "visitProfile", profileUrl: url, ...more };
    return (await posted<{ jobId: string }>(owner, "/network/scheduleNetworkAction", action)).jobId;
  };
  const stateOf = async (id: string) =>
    succeeded(await owner.get<{ state: string }>(`${api}/network/actions/${id}`)).data.state;
  const jobs = {
    jobId: await schedule("later", { leadId, accountId: manual.id, notBefore: "2026-06-01" }),
    proposalId: await schedule("proposed", { accountId: manual.id, requireApproval: true }),
    taskId: await schedule("task", { accountId: manual.id }),
    claimedId: await schedule("claimed", { accountId: worker.id }),
    unknownId: await schedule("unknown", { accountId: sending.id }),
  };
  await posted(owner, "/network/actions/record", { actionType: "sendConnectionRequest", profileUrl });
  const news = { profileUrl, event: "replied", text: `${mark} reply`, accountId: manual.id };
  await posted(owner, "/network/contacts/events", news);
  const { conversations } = succeeded(
    await owner.get<{ conversations: ConversationView[] }>(`${api}/inbox/conversations`, {
      query: { replied: "true" },
    }),
  ).data;
  const snippet = await posted<{ id: string }>(owner, "/inbox/snippets", { name: `${mark} snippet`, text: mark });
  const claim = await eventually("actions that are carried out", async () => {
    await world.advance();
    const begun = [jobs.taskId, jobs.unknownId];
    if ((await Promise.all(begun.map(stateOf))).includes("scheduled")) return null;
    const { claimed } = await posted<WorkerClaimView>(owner, "/network/worker/claim", { accountId: worker.id });
    return claimed?.claim ?? null;
  });
  const wait = [
    { type: "wait", days: 1 },
    { type: "action", actionType: "visitProfile" },
  ];
  const campaign = await posted<CampaignView>(owner, "/campaigns", { name: `${mark} campaign`, steps: wait });
  const draft = await posted<CampaignView>(owner, "/campaigns", { name: `${mark} draft`, steps: wait });
  await posted(owner, `/campaigns/${campaign.id}/start`);
  await posted(owner, `/campaigns/${campaign.id}/enroll`, { leadIds: [leadId] });
  const path = `${api}/campaigns/${campaign.id}/enrollments`;
  const { enrollments } = succeeded(await owner.get<{ enrollments: EnrollmentView[] }>(path)).data;
  return {
    ...{ ...jobs, claim, accountId: manual.id, spareAccountId: (await account("manual")).id },
    ...{ conversationId: conversations[0]!.id, snippetId: snippet.id },
    ...{ campaignId: campaign.id, draftId: draft.id },
    enrollmentId: enrollments[0]!.id,
  };
}

async function createOthers({ service, has }: RouteWorld, owner: Client) {
  const { results } = await posted<{ results: { id: string }[] }>(owner, "/suppressions", {
    values: [`suppressed@${mark.toLowerCase()}.example`],
    reason: mark,
  });
  const endpoint = await posted<NewEndpointView>(owner, "/webhooks", {
    ...{ url: "http://127.0.0.1:9/", description: mark, isEnabled: true, events: ["key.*"] },
  });
  const delivery = await posted<{ id: string }>(owner, `/webhooks/${endpoint.id}/test`);
  const name = has({ name: "POST /backups" }) ? await createBackup(service) : "none";
  return { suppressionId: results[0]!.id, endpointId: endpoint.id, deliveryId: delivery.id, name };
}

async function createBackup(service: Service): Promise<string> {
  const { name } = await posted<{ name: string }>(service.admin, "/backups", {});
  await eventually("the end of the backup", async () => {
    const { data } = await service.admin.get<{ running: unknown }>(`${api}/backups`);
    return data.running === null ? true : null;
  });
  return name;
}

async function createVoice(service: Service, owner: Client) {
  const consent = JSON.stringify({ attested: true, speakerName: mark });
  const form = cloneForm([["a.wav", beep()]], { name: mark, consent });
  form.append("consentRecording", new File([beep(2) as Uint8Array<ArrayBuffer>], "yes.wav"));
  const { voiceId, jobId } = succeeded(await owner.post<Created>(clonesPath, form)).data;
  await service.ended(owner, jobId);
  const { samples } = succeeded(
    await owner.get<{ samples: { sampleId: string }[] }>(`${clonesPath}/${voiceId}/samples`),
  ).data;
  return { voiceId, trainingId: jobId, sampleId: samples[0]!.sampleId };
}
