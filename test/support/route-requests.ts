import type { MemberRole } from "../../src/platform/auth/member-role.ts";
import { csv, mark, type RouteObjects } from "./route-objects.ts";
import { beep, cloneForm } from "./voices.ts";

/** A request that succeeds for the owner of the objects; other callers send the same one. */
export type RouteRequest = {
  body?: unknown;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Objects of parameters in the path, if their names differ: the name of the parameter, then that of the object. */
  ids?: Record<string, string>;
  /** Who is let in besides members with the permission. `admins`: of the installation; `managers`: owners and admins. */
  only?: "admins" | "managers" | "owners";
  /** The permission, if the document does not name it because sessions need none. */
  permission?: string;
  /** Status for members of other workspaces. Default: 404 with a parameter in the path, otherwise what they are given of their own. */
  stranger?: number;
  /** Status for colleagues with the permission, if it is not the owner's. */
  colleague?: Partial<Record<MemberRole, number>>;
  /** Status for the owner, if it is not a success. */
  owner?: number;
};

type Arrange = (objects: RouteObjects) => RouteRequest;

const plain: Arrange = () => ({});
const having = (request: RouteRequest): Arrange => {
  return () => request;
};
const sending = (body: unknown, more: Omit<RouteRequest, "body"> = {}): Arrange => having({ ...more, body });

const action = { actionType: "visitProfile", profileUrl: "https://network.example/in/ada" };
const steps = [{ type: "action", actionType: "visitProfile" }];
const lead = { email: "ada@example.com", firstName: "Ada" };
const rows = "email,first name\nada@example.com,Ada\n";
const webhook = { url: "http://127.0.0.1:9/", isEnabled: false };
/** A refusal of an upload's own says more than that there is no such clone. */
const recording = (name: string | null) => cloneForm([["b.wav", beep(3)]], { name });

/** Owners and admins may delete the keys of members; nobody else sees them, and only their member acts with them. */
const ofAnothersKey = { colleague: { member: 404 } };
const withAnothersKey = { colleague: { admin: 404, member: 404 } };

const network: Record<string, Arrange> = {
  "POST /network/scheduleNetworkAction": sending(action),
  "GET /network/actions": plain,
  "POST /network/actions/record": sending(action),
  "GET /network/actions/{jobId}": plain,
  "PATCH /network/actions/{jobId}": sending({ notBefore: "2026-06-02" }),
  "GET /network/actions/{jobId}/audio": having({ owner: 409 }),
  "POST /network/actions/{jobId}/approve": having({ ids: { jobId: "proposalId" } }),
  "POST /network/actions/{jobId}/resolve": sending({ outcome: "completed" }, { ids: { jobId: "unknownId" } }),
  "POST /network/actions/{jobId}/outcome": sending({ outcome: "completed" }, { owner: 409 }),
  "POST /network/actions/{jobId}/cancel": plain,
  "POST /network/upload-prospects": sending({
    prospects: [{ name: "Ada Lovelace", network_url: "https://network.example/in/ada" }],
  }),
  "GET /network/contacts": ({ profileUrl }) => ({ query: { profileUrl }, stranger: 404 }),
  "POST /network/contacts/events": ({ profileUrl }) => ({ body: { profileUrl, event: "accepted" } }),
  "GET /network/accounts": plain,
  "POST /network/accounts": sending({ name: "Second" }),
  "GET /network/accounts/{accountId}": plain,
  "PATCH /network/accounts/{accountId}": sending({ tier: "premium" }),
  "DELETE /network/accounts/{accountId}": having({ ids: { accountId: "spareAccountId" } }),
  "GET /network/accounts/{accountId}/usage": plain,
  "GET /network/accounts/{accountId}/plan": plain,
  "POST /network/accounts/{accountId}/plan": sending({ caps: {} }),
  "GET /network/tasks": plain,
  "POST /network/tasks/{jobId}/complete": sending({ outcome: "completed" }, { ids: { jobId: "taskId" } }),
  "POST /network/worker/claim": sending({}),
  // The same as for an action that nobody has.
  "POST /network/worker/{jobId}/heartbeat": ({ claim }) => ({
    ids: { jobId: "claimedId" },
    body: { claim },
    stranger: 409,
  }),
  "POST /network/worker/{jobId}/complete": ({ claim }) => ({
    ids: { jobId: "claimedId" },
    body: { claim, outcome: "completed" },
  }),
};

const inbox: Record<string, Arrange> = {
  "GET /inbox/conversations": plain,
  "GET /inbox/unread": plain,
  "GET /inbox/conversations/{conversationId}": plain,
  "PATCH /inbox/conversations/{conversationId}": sending({ label: "interested" }),
  "GET /inbox/conversations/{conversationId}/messages": plain,
  "POST /inbox/conversations/{conversationId}/reply": sending({ message: "Thanks!" }),
  "GET /inbox/snippets": plain,
  "POST /inbox/snippets": () => ({ body: { name: crypto.randomUUID(), text: "Thanks!" } }),
  "GET /inbox/snippets/{snippetId}": plain,
  "PATCH /inbox/snippets/{snippetId}": sending({ text: "Thank you!" }),
  "DELETE /inbox/snippets/{snippetId}": plain,
};

const campaigns: Record<string, Arrange> = {
  "GET /campaigns": plain,
  "POST /campaigns": sending({ name: "Spring", steps }),
  "GET /campaigns/templates": plain,
  "GET /campaigns/{campaignId}": plain,
  "PATCH /campaigns/{campaignId}": sending({ settings: { stopOnReply: false } }),
  "POST /campaigns/{campaignId}/duplicate": sending({}),
  "GET /campaigns/{campaignId}/enrollments": plain,
  "GET /campaigns/{campaignId}/statistics": plain,
  "GET /campaigns/{campaignId}/funnel": plain,
  "GET /campaigns/{campaignId}/series": plain,
  "GET /campaigns/compare": plain,
  "POST /campaigns/{campaignId}/preview": sending({}),
  "POST /campaigns/{campaignId}/pause": plain,
  "POST /campaigns/{campaignId}/start": plain,
  "POST /campaigns/{campaignId}/enroll": sending({ tag: "none" }),
  "POST /campaigns/{campaignId}/enrollments/{enrollmentId}/stop": plain,
  "POST /campaigns/{campaignId}/cancel": plain,
  "DELETE /campaigns/{campaignId}": having({ ids: { campaignId: "draftId" } }),
};

const leads: Record<string, Arrange> = {
  "POST /leads": sending(lead),
  "GET /leads": plain,
  "GET /leads/duplicates": plain,
  "GET /leads/{leadId}/campaigns": plain,
  // The lead itself: nothing is merged.
  "POST /leads/{leadId}/merge": ({ ids }) => ({
    body: { otherId: ids["leadId"] },
    owner: 400,
    colleague: { admin: 400, member: 400 },
  }),
  "GET /leads/views": plain,
  "POST /leads/views": sending({ name: "All", filters: {} }),
  "PUT /leads/views/{viewId}": sending({ name: "Mine" }, { colleague: { member: 403 } }),
  "DELETE /leads/views/{viewId}": having({ colleague: { member: 403 } }),
  "GET /leads/values": having({ query: { field: "company" } }),
  "GET /leads/{leadId}": plain,
  "PUT /leads/{leadId}": sending({ title: "Countess" }),
  "DELETE /leads/{leadId}": plain,
  "POST /leads/bulk": sending({ filter: { q: "nobody" }, status: "contacted" }),
  "POST /leads/bulk/update": ({ ids }) => ({ body: { ids: [ids["leadId"]], status: "contacted" } }),
  "POST /leads/bulk/delete": sending({ ids: ["nothing"] }),
  "POST /leads/import": sending(rows, { headers: csv }),
  "POST /leads/import/preview": sending(rows, { headers: csv }),
  "GET /leads/import/{jobId}/report": having({ ids: { jobId: "leadImportId" } }),
  "GET /leads/import/{jobId}/causes": having({ ids: { jobId: "leadImportId" } }),
  "GET /leads/import/{jobId}/failed-rows": having({ ids: { jobId: "leadImportId" } }),
  "POST /leads/import/{jobId}/failed-rows": sending(rows, { headers: csv, ids: { jobId: "leadImportId" } }),
  "GET /leads/export": having({ query: { format: "csv" } }),
  "POST /suppressions": sending({ values: ["bob@example.com"] }),
  "GET /suppressions": plain,
  "GET /suppressions/{suppressionId}": plain,
  "DELETE /suppressions/{suppressionId}": plain,
  "POST /suppressions/{suppressionId}/erase": plain,
  "POST /suppressions/check": sending({ email: "ada@example.com" }),
  "POST /suppressions/import": sending("email\nbob@example.com\n", { headers: csv }),
  "GET /suppressions/export": plain,
  "POST /privacy/export": ({ ids }) => ({ body: { leadId: ids["leadId"] }, stranger: 404 }),
  "POST /privacy/erase": ({ ids }) => ({ body: { leadId: ids["leadId"], dryRun: true }, stranger: 404 }),
};

const prospecting: Record<string, Arrange> = {
  "POST /enrich": sending({ leads: [lead] }),
  "POST /enrich/companies": sending({ companies: [{ domain: "analytical.example" }] }),
  "GET /enrich/jobs/{jobId}/results": having({ ids: { jobId: "enrichmentId" } }),
  "GET /enrich/settings": plain,
  "PUT /enrich/settings": ({ ids }) => ({ body: { providers: [ids["provider"]] } }),
  "POST /enrich/providers/{provider}/test": sending(lead, { only: "admins" }),
  "POST /prospecting/import": sending(rows, { headers: csv }),
  "GET /prospecting/import/{jobId}/report": having({ ids: { jobId: "prospectImportId" } }),
  "POST /prospecting/search": sending({ filters: {} }),
  "GET /prospecting/sources": plain,
  "GET /prospecting/facets": having({ query: { facet: "title" } }),
  "POST /prospecting/facets": sending({}),
  "GET /prospecting/prospects/{prospectId}": plain,
  "POST /prospecting/prospects/{prospectId}/lead": plain,
  "DELETE /prospecting/prospects/{prospectId}": plain,
  "POST /prospecting/searches": sending({ name: "Search", filters: {} }),
  "GET /prospecting/searches": plain,
  "GET /prospecting/searches/{searchId}": plain,
  "PUT /prospecting/searches/{searchId}": sending({ name: "Search" }),
  "DELETE /prospecting/searches/{searchId}": plain,
  "POST /prospecting/searches/{searchId}/run": sending({}),
};

const webhooksAndVoices: Record<string, Arrange> = {
  "GET /webhooks": plain,
  "POST /webhooks": sending(webhook),
  "GET /webhooks/{endpointId}": plain,
  "PATCH /webhooks/{endpointId}": sending({ description: "Second" }),
  "DELETE /webhooks/{endpointId}": plain,
  "POST /webhooks/{endpointId}/rotate": sending({}),
  "POST /webhooks/{endpointId}/test": plain,
  "POST /webhooks/{endpointId}/replay": sending({ from: "2020-01-01" }),
  "GET /webhooks/{endpointId}/deliveries": plain,
  "GET /webhooks/{endpointId}/deliveries/{deliveryId}": plain,
  "POST /webhooks/{endpointId}/deliveries/{deliveryId}/replay": plain,
  "GET /voice-clones": plain,
  "POST /voice-clones": () => ({ body: recording("Ada") }),
  "POST /voice-clones/check": () => ({ body: recording(null) }),
  "GET /voice-clones/{voiceId}": plain,
  "PUT /voice-clones/{voiceId}": sending({ description: "Second" }),
  "POST /voice-clones/{voiceId}/preview": sending({ text: "Good morning." }, { owner: 409 }),
  "GET /voice-clones/{voiceId}/samples": plain,
  "POST /voice-clones/{voiceId}/samples": () => ({ body: recording(null) }),
  "GET /voice-clones/{voiceId}/samples/{sampleId}/audio": plain,
  "DELETE /voice-clones/{voiceId}/samples/{sampleId}": plain,
  "GET /voice-clones/{voiceId}/consent/audio": plain,
  "POST /voice-clones/{voiceId}/train": plain,
  "DELETE /voice-clones/{voiceId}": plain,
  "GET /events": plain,
  "GET /events/stream": plain,
};

const workspaces: Record<string, Arrange> = {
  "GET /users/me": plain,
  "PATCH /users/me": sending({ timeZone: "Europe/Berlin" }),
  "GET /users": having({ only: "admins" }),
  "POST /users": () => ({ body: { email: `${crypto.randomUUID()}@example.com` }, only: "admins" }),
  "PUT /users/{userId}": sending({ timeZone: "Europe/Berlin" }, { only: "admins" }),
  "POST /users/{userId}/credits": sending({ amount: 5 }, { only: "admins" }),
  "POST /users/{userId}/credits/adjust": sending({ amount: 5 }, { only: "admins" }),
  "POST /users/{userId}/credits/refund": sending({ request: "none", item: "none" }, { only: "admins", owner: 404 }),
  "GET /keys/{keyId}/usage": having({ colleague: { member: 404, viewer: 404 } }),
  "GET /users/me/notifications": plain,
  "PUT /users/me/notifications": sending({ kinds: { dailyDigest: true } }),
  // The server has no SMTP.
  "POST /mail/test": sending(undefined, { only: "admins", owner: 409 }),
  // Of a user whom only admins find; only an issuer makes one.
  "GET /users/{userId}/identities": having({ only: "admins" }),
  "DELETE /users/{userId}/identities/{identityId}": having({ only: "admins", owner: 404 }),
  "GET /workspaces": plain,
  "POST /workspaces": sending({ name: "Second" }, { only: "admins" }),
  "GET /workspaces/{workspaceId}": plain,
  "PUT /workspaces/{workspaceId}": sending({ timeZone: "Europe/Berlin" }, { only: "managers" }),
  "GET /members": plain,
  "GET /members/{memberId}": plain,
  "PUT /members/{memberId}": sending({ role: "viewer" }, { only: "managers" }),
  "DELETE /members/{memberId}": having({ only: "managers" }),
  "POST /members/{memberId}/transfer-ownership": having({ only: "owners", ids: { memberId: "successorId" } }),
  "GET /statistics/weekly": plain,
  "GET /notifications": plain,
  "POST /notifications/read": sending({ until: "1" }),
  "GET /invitations": plain,
  "POST /invitations": sending({ email: "ada@example.com", role: "viewer" }, { only: "managers" }),
  "DELETE /invitations/{invitationId}": having({ only: "managers" }),
  "POST /invitations/join": sending({ token: "nothing" }, { owner: 401, stranger: 401 }),
  "GET /sessions": having({ permission: "users:read" }),
  "DELETE /sessions/{sessionId}": having({
    permission: "users:write",
    colleague: { admin: 403, member: 403, viewer: 403, custom: 403 },
  }),
  "DELETE /sessions": having({ permission: "users:write" }),
  "GET /credits": plain,
  "GET /credits/ledger": plain,
  "GET /credits/budgets/{keyId}": having(ofAnothersKey),
  "PUT /credits/budgets/{keyId}": sending({ monthly: 10 }, ofAnothersKey),
  "POST /keys": sending({ name: "robot", permissions: ["leads:read"] }),
  "GET /keys": plain,
  "PUT /keys/{keyId}": sending({ name: "robot" }, withAnothersKey),
  "DELETE /keys/{keyId}": having(ofAnothersKey),
  "POST /keys/{keyId}/regenerate": having(withAnothersKey),
  "POST /keys/{keyId}/link": having(withAnothersKey),
  "GET /users/jobs": plain,
  "GET /users/jobs/userJobStatus/{userId}": having({ stranger: 403 }),
  "GET /users/jobs/jobStatus": ({ ids }) => ({ query: { jobId: ids["jobId"] ?? "" }, stranger: 404 }),
  "GET /users/jobs/jobCounts": plain,
  "GET /users/jobs/history": plain,
  "PUT /users/jobs/editJobMessage/{jobId}": sending({ message: "Second" }),
  "GET /users/jobs/{jobId}": plain,
  "POST /users/jobs/{jobId}/cancel": having({ owner: 409 }),
  "POST /users/jobs/{jobId}/retry": plain,
};

const installation: Record<string, Arrange> = {
  "GET /health": plain,
  "GET /metrics": having({ only: "admins" }),
  "GET /audit": plain,
  "GET /audit/export": plain,
  "GET /audit/verify": having({ only: "admins" }),
  "GET /simulation": plain,
  "POST /simulation/clock": sending({ advance: "PT1S" }, { only: "admins" }),
  "GET /backups": having({ only: "admins" }),
  "POST /backups": sending({}, { only: "admins" }),
  "GET /backups/{name}": having({ only: "admins" }),
  "GET /backups/{name}/download": having({ only: "admins" }),
  "DELETE /backups/{name}": having({ only: "admins" }),
  "GET /nodes": having({ only: "admins" }),
  "GET /operations": having({ only: "admins" }),
  "PUT /operations/maintenance": sending({ enabled: false, message: mark }, { only: "admins" }),
};

/** Every route of the OpenAPI document that needs a key. */
export const routeRequests: Readonly<Record<string, Arrange>> = {
  ...network,
  ...inbox,
  ...campaigns,
  ...leads,
  ...prospecting,
  ...webhooksAndVoices,
  ...workspaces,
  ...installation,
};
