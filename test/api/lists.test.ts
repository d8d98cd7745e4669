import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { archiveName } from "../../src/features/backup/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { startOfTests } from "../support/clock.ts";
import { beep, createClone } from "../support/voices.ts";
import { startService, usesPostgres, succeeded } from "../support/service.ts";

// Thousands of rows are stored and read again.
setDefaultTimeout(60_000);

const api = "/api/v2";
const rows = 1200;
const service = await startService({ settings: { CONNECTOR: "manual" } });
afterAll(() => service[Symbol.asyncDispose]());
const { admin } = service;
const { userId } = admin;

type Json = Record<string, unknown>;

/** A list: where it is, the field of `data` with its items, what tells them apart, and what else it is asked with. */
type List = {
  path?: () => Promise<string>;
  field: string;
  id: (item: Json) => unknown;
  query?: Record<string, string>;
  /** At most so many of them can exist, whatever anyone does; then so many rows. */
  bound?: number;
  arrange: () => Promise<void>;
};

/** Copies of a row that is there, with other values in some columns: SQL over the row `t` and the number `k.n`. */
async function multiply(
  table: string,
  which: string,
  changes: Record<string, string>,
  times = rows - 1,
): Promise<void> {
  await using database = await service.openDatabase();
  const columns = (await database.columnsOf(table)).filter((name) => changes[name] !== "auto");
  const values = columns.map((name) => changes[name] ?? `t.${name}`);
  const made = await database.run(
    `INSERT INTO ${table} (${columns.join(", ")})
     SELECT ${values.join(", ")} FROM (SELECT * FROM ${table} WHERE ${which} LIMIT 1) AS t, ${database.numbers(times)}`,
  );
  expect(made).toBeGreaterThanOrEqual(times);
}

/** The column of a table that both engines have, but not under one name. */
const numberOfEvent = usesPostgres ? "position" : "seq";

/** Every two of them come in the same millisecond. */
const later = (column: string): string => `t.${column} + k.n / 2`;
const copied = { id: "t.id || '-' || (10000 + k.n)", created_at: later("created_at") };

const post = async <T>(path: string, body?: unknown): Promise<T> =>
  succeeded(await admin.post<T>(`${api}${path}`, body)).data;

async function imported(path: string, text: string): Promise<string> {
  const headers = { "content-type": "text/csv" };
  const job = succeeded(await admin.post<JobView>(`${api}${path}`, text, { headers })).data;
  await service.ended(admin, job.id);
  return job.id;
}

let campaignId = "";
let endpointId = "";
let enrichmentId = "";
let leadImportId = "";
let prospectImportId = "";
let cloneId = "";
let conversationId = "";
const ada = { email: "ada@engines.example", networkUrl: "https://network.example/in/ada" };
const byId = ({ id }: Json) => id;
const nothing = async (): Promise<void> => {};

// In this order: what comes first makes audit entries, events and jobs.
const lists: Record<string, List> = {
  "/api/v2/keys": {
    field: "keys",
    id: byId,
    async arrange() {
      for (let n = 0; n < rows; n++) await post("/keys", { name: `key ${n}`, permissions: ["leads:read"] });
    },
  },
  "/api/v2/audit": { field: "entries", id: byId, arrange: nothing },
  "/api/v2/events": { field: "events", id: byId, arrange: nothing },
  "/api/v2/users": {
    field: "users",
    id: byId,
    arrange: async () =>
      await multiply("users", "true", {
        ...copied,
        seq: "auto",
        email: "k.n || t.email",
        email_key: "k.n || t.email_key",
      }),
  },
  "/api/v2/workspaces": {
    field: "workspaces",
    id: byId,
    async arrange() {
      await multiply("workspaces", "true", { ...copied, seq: "auto" });
      await multiply("members", "true", {
        workspace_id: `(SELECT id FROM workspaces WHERE id LIKE '%-' || (10000 + k.n))`,
      });
    },
  },
  "/api/v2/users/{userId}/identities": {
    path: async () => `/users/${userId}/identities`,
    field: "identities",
    id: byId,
    bound: 100,
    async arrange() {
      await using database = await service.openDatabase();
      await database.run(
        "INSERT INTO user_identities VALUES ('one', $1, 'https://id.example.com', 'ada', 'ada@example.com', 1, 1)",
        [userId],
      );
      await multiply("user_identities", "true", { ...copied, issuer: "t.issuer || k.n" }, 99);
    },
  },
  "/api/v2/notifications": {
    field: "notifications",
    id: byId,
    bound: 500,
    async arrange() {
      await imported("/leads/import", "email\nnotified@example.com\n");
      // Positions on PostgreSQL are assigned when events are read.
      const numbers: Record<string, string> = usesPostgres ? { id: "auto", position: "NULL" } : { seq: "auto" };
      await multiply("events", "type = 'leads.imported'", numbers, 499);
    },
  },
  "/api/v2/invitations": {
    field: "invitations",
    id: byId,
    bound: 200,
    async arrange() {
      await post("/invitations", { email: "grace@example.com", role: "member" });
      await multiply("invitations", "true", { ...copied, hash: "t.hash || k.n", email_key: "t.email_key || k.n" }, 199);
    },
  },
  "/api/v2/members": {
    field: "members",
    id: ({ userId: id }) => id,
    bound: 1000,
    async arrange() {
      const others = `(SELECT id FROM users WHERE id LIKE '%-' || (10000 + k.n))`;
      await multiply(
        "members",
        `workspace_id = '${userId}'`,
        { user_id: others, created_at: later("created_at") },
        999,
      );
    },
  },
  "/api/v2/sessions": {
    field: "sessions",
    id: byId,
    bound: 200,
    async arrange() {
      const headers = { "x-outreachd-page": "1", "content-type": "application/json" };
      const body = JSON.stringify({ key: admin.key });
      expect((await fetch(`${service.url}/app/session`, { method: "POST", headers, body })).status).toBe(200);
      await multiply("sessions", "true", { ...copied, hash: "t.hash || k.n" }, 199);
    },
  },
  "/api/v2/credits/ledger": {
    field: "entries",
    id: byId,
    async arrange() {
      await post(`/users/${userId}/credits`, { amount: 5 });
      await multiply("credit_ledger", "item IS NULL", { ...copied, seq: "auto" });
    },
  },
  "/api/v2/leads": {
    field: "leads",
    id: byId,
    async arrange() {
      await imported(
        "/leads/import",
        `email\n${Array.from({ length: rows }, (_, n) => `p${n}@example.com\n`).join("")}`,
      );
    },
  },
  "/api/v2/leads/import/{jobId}/report": {
    field: "rows",
    id: ({ row }) => row,
    path: async () => `/leads/import/${leadImportId}/report`,
    async arrange() {
      leadImportId = await imported("/leads/import", "email\np1@example.com\n");
      await multiply("lead_import_rows", `job_id = '${leadImportId}'`, { row: "t.row + k.n" });
    },
  },
  "/api/v2/suppressions": {
    field: "suppressions",
    id: byId,
    async arrange() {
      for (let from = 0; from < rows; from += 100) {
        await post("/suppressions", { values: Array.from({ length: 100 }, (_, n) => `no${from + n}@example.org`) });
      }
    },
  },
  "/api/v2/prospecting/import/{jobId}/report": {
    field: "rows",
    id: ({ row }) => row,
    path: async () => `/prospecting/import/${prospectImportId}/report`,
    async arrange() {
      for (let time = 0; time < 2; time++)
        prospectImportId = await imported("/prospecting/import", `email\n${ada.email}\n`);
      await multiply("prospect_import_rows", `job_id = '${prospectImportId}'`, { row: "t.row + k.n" });
    },
  },
  "/api/v2/leads/views": {
    field: "views",
    id: byId,
    bound: 200,
    async arrange() {
      await post("/leads/views", { name: "All", filters: {} });
      await multiply("lead_views", "true", copied, 199);
    },
  },
  "/api/v2/prospecting/searches": {
    field: "searches",
    id: byId,
    async arrange() {
      await post("/prospecting/searches", { name: "All", filters: {} });
      await multiply("saved_searches", "true", copied);
    },
  },
  "/api/v2/enrich/jobs/{jobId}/results": {
    field: "failed",
    id: ({ index }) => index,
    path: async () => `/enrich/jobs/${enrichmentId}/results`,
    async arrange() {
      const body = { leads: [{ leadId: "x0", email: "nobody@unknown.example" }] };
      const headers = { prefer: "respond-async" };
      enrichmentId = succeeded(await admin.post<JobView>(`${api}/enrich`, body, { headers })).data.id;
      await service.ended(admin, enrichmentId);
      const text = `replace(CAST(t.outcome AS TEXT), '"index":0', '"index":' || k.n)`;
      const outcome = usesPostgres ? `CAST(${text} AS JSON)` : text;
      await multiply("enrichment_items", `job_id = '${enrichmentId}'`, { n: "t.n + k.n", outcome });
    },
  },
  "/api/v2/network/actions": {
    field: "actions",
    id: ({ jobId }) => jobId,
    async arrange() {
      const profileUrl = "https://network.example/in/bob";
      const { jobId } = await post<{ jobId: string }>("/network/scheduleNetworkAction", {
        ...{ actionType: "visitProfile", profileUrl, requireApproval: true },
      });
      await multiply("jobs", `id = '${jobId}'`, copied);
      const changes = { seq: "auto", job_id: "t.job_id || '-' || (10000 + k.n)", profile_key: "t.profile_key || k.n" };
      await multiply("network_actions", `job_id = '${jobId}'`, { ...changes, target_key: "t.target_key || k.n" });
    },
  },
  "/api/v2/inbox/conversations": {
    field: "conversations",
    id: byId,
    async arrange() {
      await post("/network/contacts/events", {
        ...{ event: "replied", text: "Hello", profileUrl: "https://network.example/in/grace" },
      });
      const { data } = succeeded(await admin.get<{ conversations: { id: string }[] }>(`${api}/inbox/conversations`));
      conversationId = data.conversations[0]!.id;
      const changes = { ...copied, seq: "auto", search: "auto", profile_key: "t.profile_key || k.n" };
      await multiply("conversations", "true", { ...changes, last_at: later("last_at") });
    },
  },
  "/api/v2/inbox/conversations/{conversationId}/messages": {
    field: "messages",
    id: byId,
    path: async () => `/inbox/conversations/${conversationId}/messages`,
    arrange: async () => multiply("messages", "true", { ...copied, seq: "auto", search: "auto", at: later("at") }),
  },
  "/api/v2/inbox/snippets": {
    field: "snippets",
    id: byId,
    async arrange() {
      await post("/inbox/snippets", { name: "Snippet", text: "Thanks!" });
      await multiply("snippets", "true", { ...copied, name: "t.name || (10000 + k.n)" });
    },
  },
  "/api/v2/network/tasks": {
    field: "tasks",
    id: ({ jobId }) => jobId,
    async arrange() {
      await using database = await service.openDatabase();
      await database.run("UPDATE network_actions SET state = 'awaiting', pending_reason = 'awaitingPerson'");
      await database.run("UPDATE network_actions SET updated_at = updated_at + seq / 2");
    },
  },
  "/api/v2/network/accounts": {
    field: "accounts",
    id: byId,
    async arrange() {
      await multiply("network_accounts", `workspace_id = '${userId}'`, { ...copied, seq: "auto" });
      // The server knows the accounts of a workspace by heart until one is added.
      await post("/network/accounts", { name: "One more", connector: "simulated" });
    },
  },
  "/api/v2/users/jobs": { field: "jobs", id: byId, arrange: nothing },
  "/api/v2/users/jobs/userJobStatus/{userId}": {
    field: "jobs",
    id: byId,
    path: async () => `/users/jobs/userJobStatus/${userId}`,
    arrange: nothing,
  },
  "/api/v2/campaigns": {
    field: "campaigns",
    id: byId,
    async arrange() {
      const steps = [{ type: "action", actionType: "visitProfile" }];
      campaignId = (await post<{ id: string }>("/campaigns", { name: "Spring", steps })).id;
      await multiply("campaigns", `id = '${campaignId}'`, copied);
    },
  },
  "/api/v2/campaigns/compare": {
    field: "campaigns",
    id: (item) => item["campaignId"],
    arrange: nothing,
  },
  "/api/v2/campaigns/{campaignId}/enrollments": {
    field: "enrollments",
    id: byId,
    path: async () => `/campaigns/${campaignId}/enrollments`,
    async arrange() {
      const { id } = await post<{ id: string }>("/leads", ada);
      await post(`/campaigns/${campaignId}/enroll`, { leadIds: [id] });
      await multiply("campaign_enrollments", "true", { ...copied, lead_id: "t.lead_id || k.n" });
    },
  },
  "/api/v2/webhooks": {
    field: "endpoints",
    id: byId,
    bound: 50,
    async arrange() {
      const url = "https://crm.example.com/hook";
      endpointId = (await post<{ id: string }>("/webhooks", { url, events: ["backup.*"] })).id;
      await multiply("webhook_endpoints", "true", { ...copied, seq: "auto", is_enabled: "false" }, 49);
    },
  },
  "/api/v2/webhooks/{endpointId}/deliveries": {
    field: "deliveries",
    id: byId,
    path: async () => `/webhooks/${endpointId}/deliveries`,
    async arrange() {
      await using database = await service.openDatabase();
      await database.run(
        `INSERT INTO webhook_deliveries (endpoint, event, state, next_at, tries, attempts)
         SELECT (SELECT seq FROM webhook_endpoints WHERE id = $1), ${numberOfEvent}, 'delivered', NULL, 1, '[]'
         FROM events ORDER BY ${numberOfEvent} LIMIT ${rows}`,
        [endpointId],
      );
    },
  },
  "/api/v2/voice-clones": {
    field: "voiceClones",
    id: ({ voiceId }) => voiceId,
    async arrange() {
      const { voiceId, jobId } = succeeded(await createClone(admin, [["a.wav", beep()]])).data;
      await service.ended(admin, jobId);
      cloneId = voiceId;
      await multiply("voice_clones", "true", copied);
    },
  },
  "/api/v2/voice-clones/{voiceId}/samples": {
    field: "samples",
    id: ({ sampleId, id }) => sampleId ?? id,
    path: async () => `/voice-clones/${cloneId}/samples`,
    arrange: async () => multiply("voice_samples", `clone_id = '${cloneId}'`, copied),
  },
  "/api/v2/backups": {
    field: "backups",
    id: ({ name }) => name,
    async arrange() {
      const folder = join(service.dataDir, "backups");
      await mkdir(folder, { recursive: true });
      for (let n = 0; n < rows; n++)
        await Bun.write(
          join(folder, archiveName(startOfTests + Math.floor(n / 2) * 1000, crypto.randomUUID().slice(0, 8))),
          "x",
        );
    },
  },
};

/** What has a list inside and is none itself. */
const noLists: Record<string, string> = {
  "/api/v2/enrich/settings": "one user's settings",
  "/api/v2/prospecting/facets": "the values of a filter that most prospects have, narrowed by q",
  "/api/v2/leads/{leadId}/campaigns": "the few campaigns of one lead, which lead-merge.test.ts reads",
  "/api/v2/leads/duplicates": "groups of leads, which lead-merge.test.ts pages through",
  "/api/v2/leads/values": "the most frequent values of a field, narrowed by contains",
  "/api/v2/users/jobs/history": "one entry a day, at most 90",
  "/api/v2/keys/{keyId}/usage": "one entry a day, at most 90",
  "/api/v2/network/accounts/{accountId}/usage": "one entry a meter",
  "/api/v2/network/accounts/{accountId}/plan": "a forecast, which says how many wait",
  "/api/v2/campaigns/{campaignId}/statistics": "one entry a step",
  "/api/v2/campaigns/{campaignId}/funnel": "one entry a step, variant, or account",
  "/api/v2/campaigns/{campaignId}/series": "one entry a day",
  "/api/v2/campaigns/templates": "the few that the program has",
  "/api/v2/leads/import/{jobId}/causes": "one entry a cause, which counts its rows",
  "/api/v2/prospecting/sources": "the few that the server has",
  "/api/v2/statistics/weekly": "one entry a week, at most 26",
  "/api/v2/nodes": "the few processes that share a database, as one picture of them",
};

type Schema = { $ref?: string; type?: string; properties?: Record<string, Schema>; items?: Schema };

function resolved(schema: Schema | undefined): Schema {
  const name = schema?.$ref?.split("/").at(-1);
  const schemas = (service.document.json as { components: { schemas: Record<string, Schema> } }).components.schemas;
  return name === undefined ? (schema ?? {}) : resolved(schemas[name]);
}

/** The fields of what a GET answers, where it lists objects; null for others. */
function listedFields(responses: Json): Record<string, Schema> | null {
  type Answer = { content?: Record<string, { schema?: Schema }> } | undefined;
  const schema = resolved((responses["200"] as Answer)?.content?.["application/json"]?.schema);
  const fields = resolved(schema.properties?.["data"]).properties ?? {};
  const isList = (field: Schema): boolean => {
    const { type, items } = resolved(field);
    const item = resolved(items);
    return type === "array" && (item.type === "object" || item.properties !== undefined);
  };
  return Object.values(fields).some(isList) ? fields : null;
}

/** A path that ends with an id is one thing, whatever lists it has inside. */
const found = service.document.operations
  .filter(({ method, path }) => method === "GET" && !path.replace("userJobStatus/{userId}", "jobs").endsWith("}"))
  .flatMap(({ path, responses, parameters }) => {
    const fields = listedFields(responses);
    return fields === null || path in noLists ? [] : [{ path, fields, parameters }];
  });

test("every list of the route table is known to this test", () => {
  expect(found.map(({ path }) => path).toSorted()).toEqual(Object.keys(lists).toSorted());
});

test.each(found)("$path takes limit and cursor, and says total and nextCursor", ({ fields, parameters }) => {
  expect(parameters).toEqual(expect.arrayContaining(["limit", "cursor"]));
  expect(Object.keys(fields)).toEqual(expect.arrayContaining(["total", "nextCursor"]));
});

/** Lists of what was set up, in the order in which that was done; all others show the newest first. */
const oldestFirst: ReadonlySet<string> = new Set([
  "/api/v2/users",
  "/api/v2/workspaces",
  "/api/v2/leads/views",
  "/api/v2/members",
  "/api/v2/network/accounts",
  // By name, which this test chooses in that order.
  "/api/v2/inbox/snippets",
  "/api/v2/campaigns/{campaignId}/enrollments",
  "/api/v2/voice-clones/{voiceId}/samples",
]);

/** When an item came, as far as the list goes by that. */
function cameAt(item: Json): string | undefined {
  return (item["createdAt"] ?? item["created_at"] ?? item["at"]) as string | undefined;
}

/** In an item at any depth, what has the name of a moment. */
function timesIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inside]) =>
    /(At|_at)$|^at$/.test(name) && inside !== null ? [inside] : timesIn(inside),
  );
}

test.each(Object.entries(lists))(
  "%s gives all of its rows page by page, each once and in order",
  async (route, list) => {
    await list.arrange();
    const path = list.path === undefined ? route : api + (await list.path());
    const limit = Math.min(100, Math.ceil((list.bound ?? rows) / 3));
    const seen: unknown[] = [];
    const came: string[] = [];
    let total = 0;
    let cursor: string | null = null;
    do {
      const query: Record<string, string> = { limit: `${limit}`, ...(cursor !== null && { cursor }) };
      const { data }: { data: Json } = succeeded(await admin.get<Json>(path, { query }));
      const items = data[list.field] as Json[];
      expect(items.length).toBeGreaterThan(0);
      expect(items.length).toBeLessThanOrEqual(limit);
      seen.push(...items.map((item) => JSON.stringify(list.id(item))));
      came.push(...items.map(cameAt).filter((time) => time !== undefined));
      for (const time of timesIn(items)) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      total = data["total"] as number;
      cursor = data["nextCursor"] as string | null;
      // Reading may be noted, so that a log grows meanwhile.
      expect(total).toBeGreaterThanOrEqual(seen.length);
    } while (cursor !== null);
    expect(seen.length).toBeGreaterThanOrEqual(list.bound ?? rows);
    expect(new Set(seen).size).toBe(seen.length);
    const sorted = came.toSorted((a, b) => a.localeCompare(b));
    if (came.length === seen.length) expect(came).toEqual(oldestFirst.has(route) ? sorted : sorted.toReversed());
    expect(total).toBe(seen.length);
    const usual = succeeded(await admin.get<Json>(path)).data;
    const shown = (usual[list.field] as unknown[]).length;
    expect(shown === total).toBe(usual["nextCursor"] === null);
    expect((await admin.get(path, { query: { cursor: "no-cursor" } })).status).toBe(400);
    const forged = Buffer.from(JSON.stringify(["x", "y"])).toString("base64url");
    expect((await admin.get(path, { query: { cursor: forged } })).status).toBeLessThan(500);
  },
);
