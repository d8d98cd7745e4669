import type { RouteObjects } from "./route-objects.ts";

/** A request that names objects in its body or query, and the status for somebody whose objects they are not. */
export type ForeignReference = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  query?: Record<string, string>;
  status: number;
};

/** Requests of a stranger about their own things, with `objects` of another workspace in them. `own`: the stranger's. */
export function foreignReferences(
  { ids, profileUrl }: RouteObjects,
  own: { campaignId: string; leadId: string; accountId: string; memberId: string },
): ForeignReference[] {
  const { accountId = "", leadId = "", voiceId = "", campaignId = "", memberId = "", jobId = "", keyId = "" } = ids;
  const profile = { profileUrl: "https://network.example/in/somebody" };
  const visit = { actionType: "visitProfile", ...profile };
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const speak = { actionType: "sendVoiceMessage", ...profile, message: "Hello", voiceId };
  const post = (path: string, body: unknown, status: number): ForeignReference => ({
    method: "POST",
    ...{ path, body, status },
  });
  const get = (path: string, query: Record<string, string>, status = 200): ForeignReference => ({
    method: "GET",
    ...{ path, query, status },
  });
  return [
    post("/network/scheduleNetworkAction", { ...visit, accountId }, 404),
    post("/network/scheduleNetworkAction", { ...visit, leadId }, 404),
    post("/network/scheduleNetworkAction", speak, 400),
    post("/network/actions/record", { ...visit, accountId }, 404),
    post("/network/actions/record", { ...visit, leadId }, 404),
    post("/network/contacts/events", { accountId, profileUrl, event: "accepted" }, 404),
    post("/network/worker/claim", { accountId }, 200),
    // The ID of a campaign that is not theirs is a reference of their own.
    post(
      "/network/upload-prospects",
      { campaign_id: campaignId, prospects: [{ name: "B", email: "b@b.example" }] },
      200,
    ),
    post("/network/accounts", { name: "Third", memberId }, 400),
    post("/campaigns", { name: "Spring", steps, accountIds: [accountId] }, 404),
    { method: "PATCH", path: `/campaigns/${own.campaignId}`, body: { accountIds: [accountId] }, status: 404 },
    { method: "PATCH", path: `/network/accounts/${own.accountId}`, body: { memberId }, status: 400 },
    post(`/campaigns/${own.campaignId}/enroll`, { leadIds: [leadId] }, 200),
    post("/leads", { email: "c@c.example", assignedTo: memberId }, 400),
    { method: "PATCH", path: `/leads/${own.leadId}`, body: { assignedTo: memberId }, status: 400 },
    post("/leads/bulk/update", { ids: [leadId], status: "contacted" }, 200),
    post("/leads/bulk/update", { ids: [own.leadId], assignedTo: memberId }, 400),
    post("/leads/bulk/delete", { ids: [leadId] }, 200),
    post("/enrich", { leads: [{ leadId }] }, 200),
    post("/privacy/export", { leadId }, 404),
    post("/privacy/erase", { leadId, dryRun: true }, 404),
    post("/keys", { name: "robot", permissions: ["leads:read"], userId: memberId }, 403),
    { method: "DELETE", path: `/members/${own.memberId}`, query: { leadsTo: memberId }, status: 400 },
    { method: "DELETE", path: `/members/${own.memberId}`, query: { accountsTo: memberId }, status: 400 },
    get("/network/contacts", { accountId, profileUrl }, 404),
    get("/network/actions", { accountId }),
    get("/network/actions", { leadId }),
    get("/network/actions", { profileUrl }),
    get("/leads", { campaignId }),
    get("/leads", { assignedTo: memberId }),
    get("/leads/export", { campaignId, format: "ndjson" }),
    get("/sessions", { memberId }, 404),
    get("/users/jobs/jobStatus", { jobId }, 404),
    get("/users/me", { userId: memberId }, 403),
    get("/audit", { keyId }),
    ...Object.entries({ leadId, jobId, campaignId, accountId, voiceId }).map(([name, id]) =>
      get("/events", { [name]: id }),
    ),
  ];
}
