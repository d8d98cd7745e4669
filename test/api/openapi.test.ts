import { afterAll, expect, test } from "bun:test";
import { lintWithRedocly } from "../../.ci/openapi.ts";
import { permissions } from "../../src/platform/auth/key-model.ts";
import { operationIds } from "../../src/platform/http/operation-ids.ts";
import { toolTable } from "../../src/surfaces/mcp/tool-table.ts";
import type { Operation } from "../support/openapi.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());
const { operations, json } = service.document;
const underApi = operations.filter(({ path }) => path.startsWith("/api/v2"));

function name({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function namesOf(found: Operation[]): string[] {
  return found.map(name);
}

test("the document is OpenAPI 3.1 without an error or a warning in the eyes of a linter", async () => {
  expect(await lintWithRedocly(json)).toEqual([]);
});

test("the document names its version and the one scheme by which keys are sent", () => {
  expect(json).toMatchObject({
    openapi: "3.1.0",
    info: { title: "outreachd", license: { name: "MIT" } },
    components: { securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } } },
  });
});

test("the document has the routes of the specification, spelled as there", () => {
  const paths = [
    "GET /api/v2/health",
    "GET /api/v2/users/jobs",
    "GET /api/v2/users/jobs/userJobStatus/{userId}",
    "GET /api/v2/users/jobs/jobStatus",
    "GET /api/v2/users/jobs/jobCounts",
    "PUT /api/v2/users/jobs/editJobMessage/{jobId}",
    "POST /api/v2/enrich",
    "POST /api/v2/network/scheduleNetworkAction",
    "POST /api/v2/leads",
    "GET /api/v2/leads",
    "PUT /api/v2/leads/{leadId}",
    "POST /api/v2/keys",
    "GET /api/v2/keys",
    "PUT /api/v2/keys/{keyId}",
    "POST /api/v2/keys/{keyId}/regenerate",
    "DELETE /api/v2/keys/{keyId}",
  ];
  expect(namesOf(operations)).toEqual(expect.arrayContaining(paths));
});

test.each([
  ["POST", "/api/v2/network/scheduleNetworkAction", ["network:schedule"]],
  ["GET", "/api/v2/leads", ["leads:read"]],
  ["POST", "/api/v2/leads", ["leads:write"]],
  ["PUT", "/api/v2/leads/{leadId}", ["leads:write"]],
  ["DELETE", "/api/v2/leads/{leadId}", ["leads:delete"]],
  ["GET", "/api/v2/users/jobs", ["users:read"]],
  ["GET", "/api/v2/users/jobs/jobStatus", ["jobs:read"]],
  ["PUT", "/api/v2/users/jobs/editJobMessage/{jobId}", ["jobs:update"]],
  ["DELETE", "/api/v2/keys/{keyId}", ["keys:manage"]],
  ["GET", "/api/v2/health", []],
])("%s %s asks for the permission that the specification names", (method, path, wanted) => {
  expect(service.document.find(method, path.replaceAll(/\{\w+\}/g, "x"))?.permissions).toEqual(wanted);
});

test("every operation has a summary of its own", () => {
  const summaries = operations.map(({ summary }) => summary);
  expect(namesOf(operations.filter(({ summary }) => summary.length < 5))).toEqual([]);
  expect(new Set(summaries).size).toBe(summaries.length);
});

/** Verbs with which an operation may begin; a new one is a word that people must learn. */
const verbs =
  "add adjust advance approve cancel check claim compare complete count create delete download duplicate edit enrich end enroll erase export extend get grant import join list mark pause preview record refund regenerate replay reply report resolve retry revoke rotate run schedule search set start stop stream test train transfer update upload verify".split(
    " ",
  );

test("every operation has a name of its own for generated clients: a verb and a noun", () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
  expect(ids.filter((id) => !verbs.includes(/^[a-z]+/.exec(id)?.[0] ?? ""))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test("no name is of an operation that is gone", () => {
  expect(Object.keys(operationIds).toSorted()).toEqual(
    namesOf(operations.filter(({ operationId }) => Object.values(operationIds).includes(operationId))).toSorted(),
  );
});

test("a list is named by what it lists, one thing by what it is", () => {
  const nameOf = (method: string, path: string) => service.document.find(method, `/api/v2${path}`)?.operationId;
  expect([
    nameOf("POST", "/leads"),
    nameOf("GET", "/leads"),
    nameOf("GET", "/leads/x"),
    nameOf("PUT", "/leads/x"),
    nameOf("DELETE", "/leads/x"),
    nameOf("POST", "/network/scheduleNetworkAction"),
  ]).toEqual(["createLead", "listLeads", "getLead", "updateLead", "deleteLead", "scheduleNetworkAction"]);
});

test("tools for models have the names of the operations, in snake_case", () => {
  const idOf = new Map(operations.map((operation) => [name(operation), operation.operationId]));
  const expected = Object.values(toolTable).map(({ operation }) =>
    idOf.get(operation)?.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect(Object.keys(toolTable)).toEqual(expected as string[]);
});

test("every operation documents its success and every refusal that it can answer", () => {
  const wanted = (operation: Operation) => [
    ...["400", "401", "403", "429", "503"],
    ...(operation.path.includes("{") && !operation.path.includes("userJobStatus") ? ["404"] : []),
    ...(operation.method === "GET" ? [] : ["413", "415"]),
  ];
  for (const operation of underApi) {
    const documented = Object.keys(operation.responses);
    expect({
      operation: name(operation),
      lacks: wanted(operation).filter((status) => !documented.includes(status)),
    }).toEqual({
      operation: name(operation),
      lacks: [],
    });
    expect(documented.some((status) => status.startsWith("2"))).toBe(true);
  }
});

test("PATCH is taken wherever PUT is, and does the same", async () => {
  const changes = operations.filter(({ method }) => method === "PUT");
  expect(changes.length).toBeGreaterThan(5);
  for (const { path } of changes) {
    const target = path.replaceAll(/\{\w+\}/g, "nothing");
    const [put, patch] = [await service.admin.put(target, {}), await service.admin.patch(target, {})];
    const { timestamp: _, ...answer } = put.body as Record<string, unknown>;
    expect({ path, status: patch.status, body: patch.body }).toMatchObject({ path, status: put.status, body: answer });
    expect((await service.admin.post(target, {})).headers.get("allow")).toContain("PATCH");
  }
  const user = await service.user();
  const made = await user.post<{ id: string }>("/api/v2/leads", { email: "ada@example.com", company: "Engines" });
  const changed = await user.patch(`/api/v2/leads/${made.data.id}`, { title: "Countess" });
  expect(changed.data).toMatchObject({ title: "Countess", company: "Engines" });
});

test("every refusal is documented with the standard error body", () => {
  for (const operation of underApi)
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      expect({ operation: name(operation), status, schema: JSON.stringify(response) }).toEqual({
        operation: name(operation),
        status,
        schema: expect.stringContaining("#/components/schemas/Error"),
      });
    }
});

test("the probes document that they refuse nobody, except for a request that is too large", async () => {
  const probes = operations.filter(({ path }) => !path.startsWith("/api/v2") && path !== "/metrics");
  expect(probes.map((probe) => [name(probe), Object.keys(probe.responses).join()])).toEqual([
    ["GET /healthz", "200,431,503"],
    ["GET /readyz", "200,431,503"],
  ]);
  const large = { headers: { "x-large": "x".repeat(17_000) } };
  for (const { path } of probes) expect((await fetch(service.url + path, large)).status).toBe(431);
});

test("a route that acts for a user says how a global key names one", () => {
  const silent = operations.filter(({ actsFor, parameters }) => actsFor === "user" && !parameters.includes("userId"));
  expect(namesOf(silent)).toEqual([]);
});

test("what a route asks for is in its description, for people", () => {
  const nodes = json["paths"] as Record<string, Record<string, { description?: string }>>;
  for (const { method, path, permissions: wanted } of operations)
    for (const permission of wanted)
      expect(nodes[path]?.[method.toLowerCase()]?.description).toContain(`\`${permission}\``);
});

test("permissions in the document are those that a key can hold", () => {
  expect(JSON.stringify(json)).toContain(permissions.join(", "));
});

test("the document and the page need no key and are the same for everybody", async () => {
  const nobody = service.client(null);
  for (const path of ["/openapi.json", "/docs", "/docs/scalar.js"]) expect((await nobody.get(path)).status).toBe(200);
  expect((await nobody.get("/openapi.json")).body).toEqual(json);
  const old = await nobody.get("/swagger");
  expect({ status: old.status, location: old.headers.get("location") }).toEqual({ status: 308, location: "/docs" });
});

test("the page loads nothing from another host, and its policy would not let it", async () => {
  const { body, headers } = await service.client(null).get("/docs");
  const page = String(body);
  for (const [, target = ""] of page.matchAll(/(?:src|href|data-url)=["']([^"']*)/g)) expect(target).toMatch(/^\/[^/]/);
  expect(page).not.toMatch(/https?:|\/\/[a-z]/i);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  expect(policy).toMatch(/connect-src 'self'(;|$)/);
  expect(policy).toMatch(/script-src 'self'(;|$)/);
});

test("the page's script is ours to serve and loads no other script", async () => {
  const { body, headers } = await service.client(null).get("/docs/scalar.js");
  const script = String(body);
  expect(headers.get("content-type")).toMatch(/^text\/javascript/);
  expect(script.length).toBeGreaterThan(100_000);
  expect(script).not.toMatch(/import\(\s*["'`]https?:|importScripts\(|<script[^>]+src=["']?https?:/);
});

test("with a public URL the document names it as the server", async () => {
  await using own = await startService({ settings: { PUBLIC_URL: "https://outreach.example.com/base/" } });
  expect(own.document.json["servers"]).toEqual([{ url: "https://outreach.example.com/base" }]);
});
