import { afterAll, describe, expect, test } from "bun:test";
import { isSpecified } from "../../src/platform/http/specified-routes.ts";
import type { Answer, Client } from "../support/client.ts";
import type { Operation } from "../support/openapi.ts";
import { startService, succeeded } from "../support/service.ts";
import { beep, cloneForm, createClone } from "../support/voices.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());
const { operations, json } = service.document;

const unknown = "zzUnknown";
type Json = Record<string, unknown>;
/** A valid value but for one field that nobody knows, and where that is. */
type Injected = { value: unknown; path: string };

const ours = operations.filter(
  (operation) => operation.actsFor !== null && !specified(operation) && !isProtocol(operation),
);
const theirs = operations.filter(specified);

describe("a route of ours", () => {
  test.each(ours.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "refuses every unknown name: %s",
    async (_name, operation) => {
      const body = bodyOf(operation);
      const valid = body === null ? undefined : exampleOf(body);
      await expectRefused(operation, valid, { ...queryOf(operation), [unknown]: "1" }, unknown);
      for (const { value, path } of body === null ? [] : injections(body))
        await expectRefused(operation, value, queryOf(operation), path);
    },
  );
});

describe("a route of the specification", () => {
  test("has a valid request here", () => {
    expect(Object.keys(requests).toSorted()).toEqual(theirs.map(nameOf).toSorted());
  });

  test.each(theirs.map((operation) => [nameOf(operation), operation] as const))(
    "ignores unknown names and says so: %s",
    async (name, operation) => {
      const arrange = requests[name]!;
      const inQuery = await arrange(await service.user());
      const plain = await send(operation, inQuery, { ...inQuery.query });
      expect(plain.status).toBeLessThan(300);
      expect(plain.body).not.toHaveProperty("warnings");
      const warned = await arrange(await service.user());
      expectWarning(await send(operation, warned, { ...warned.query, [unknown]: "1" }), unknown);

      const body = bodyOf(operation);
      for (const { value, path } of body === null ? [] : injections(body, inQuery.body)) {
        const answer = await send(operation, { ...(await arrange(await service.user())), body: value }, inQuery.query);
        if (answer.status === 400) expect(problemAt(answer, path)).toContain("Unknown field.");
        else expectWarning(answer, path);
      }
    },
  );
});

test("the cap of an account is refused under the name of an action, with the meter that was meant", async () => {
  const user = await service.user();
  const { accounts } = succeeded(await user.get<{ accounts: { id: string }[] }>("/api/v2/network/accounts")).data;
  const path = `/api/v2/network/accounts/${accounts[0]!.id}`;
  const byAction = await user.patch(path, { caps: { sendConnectionRequest: { day: 2 } } });
  expect(problemAt(byAction, "caps.sendConnectionRequest")).toMatch(/invites, notes, messages.*Did you mean invites\?/);
  const byHour = await user.patch(path, { caps: { invites: { hour: 2 } } });
  expect(problemAt(byHour, "caps.invites.hour")).toContain("Expected one of day, week, month.");
});

test("the word of the command line for a team's entry is refused with the API's word", async () => {
  const answer = await service.admin.post("/api/v2/suppressions", { values: ["a@example.com"], team: true });
  expect(problemAt(answer, "team")).toContain('Did you mean scope: "team"?');
});

test("a custom field that is asked for in the query of leads is named in the warnings", async () => {
  const answer = await (await service.user()).get("/api/v2/leads", { query: { "customFields.k": "v" } });
  expectWarning(answer, "customFields.k");
});

test("a form reports or refuses fields that it does not have, also in its JSON parts", async () => {
  const user = await service.user();
  const form = () => cloneForm([["a.wav", beep(2)]], { colour: "red", settings: '{"stabilty":0.5}' });
  const made = await user.post<{ voiceId: string }>("/api/v2/voice-clones", form());
  expectWarning(made, "colour");
  expectWarning(made, "settings.stabilty");
  const checked = await user.post("/api/v2/voice-clones/check", form());
  expect(problemAt(checked, "settings.stabilty")).toContain("Did you mean stability?");
  const samples = cloneForm([["b.wav", beep(3)]], { name: "Ada" });
  const added = await user.post(`/api/v2/voice-clones/${made.data.voiceId}/samples`, samples);
  expect(problemAt(added, "name")).toContain("Expected one of files.");
  const behind = cloneForm([["b.wav", beep(3)]], { name: null });
  behind.append("colour", "red");
  const late = await user.post(`/api/v2/voice-clones/${made.data.voiceId}/samples`, behind);
  expect(problemAt(late, "colour")).toContain("Expected one of files.");
});

test("what curl calls a form is read as JSON with a key", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await (await service.user()).post("/api/v2/leads", '{"email":"ada@example.com"}', { headers });
  expect(answer.status).toBeLessThan(300);
  const plain = { "content-type": "text/plain" };
  expect((await service.admin.post("/api/v2/leads", "{}", { headers: plain })).status).toBe(415);
});

async function expectRefused(operation: Operation, body: unknown, query: Record<string, string>, path: string) {
  const answer = await service.admin.send(operation.method, pathOf(operation), {
    body,
    query,
  });
  expect(answer).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(problemAt(answer, path)).toContain("Unknown ");
}

function expectWarning(answer: Answer, path: string) {
  expect(answer.status).toBeLessThan(300);
  const { warnings = [] } = answer.body as { warnings?: { path: string; message: string }[] };
  expect(warnings.map((warning) => warning.path)).toContain(path);
}

function problemAt({ details }: Answer, path: string): string {
  const errors = (details?.["errors"] ?? []) as { path: string; message: string }[];
  return errors.find((error) => error.path === path)?.message ?? `no error at ${path}: ${JSON.stringify(errors)}`;
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path.slice("/api/v2".length)}`;
}

function specified({ method, path }: Operation): boolean {
  return isSpecified(method, path.replaceAll(/\{(\w+)\}/g, ":$1"));
}

/** JSON-RPC has its own rules, and metrics are a probe. */
function isProtocol({ path }: Operation): boolean {
  return !path.startsWith("/api/v2");
}

function pathOf({ path }: Operation): string {
  return path.replaceAll(/\{\w+\}/g, "nobody");
}

type Request = { client: Client; id?: string; body?: unknown; query?: Record<string, string> };

function send(operation: Operation, { client, id = "", body }: Request, query: Record<string, string> = {}) {
  return client.send(operation.method, operation.path.replaceAll(/\{\w+\}/g, id), { body, query });
}

const keyInput = { name: "robot", permissions: ["leads:read"] };
const idOf = async (client: Client, path: string, body: unknown, name = "id") =>
  succeeded(await client.post<Record<string, string>>(`/api/v2${path}`, body)).data[name]!;
const visit = { actionType: "visitProfile", profileUrl: "https://network.example/in/ada" };
const newKey = async (client: Client) => idOf(client, "/keys", keyInput);
const newClone = async (client: Client) => succeeded(await createClone(client, [["a.wav", beep(1)]])).data.voiceId;

/** A valid request of each route of the specification, for a user of its own. */
const requests: Record<string, (client: Client) => Promise<Request>> = {
  "GET /health": async (client) => ({ client }),
  "GET /users/jobs": async (client) => ({ client }),
  "GET /users/jobs/userJobStatus/{userId}": async (client) => ({ client, id: client.userId }),
  "GET /users/jobs/jobStatus": async (client) => ({
    client,
    query: { jobId: await idOf(client, "/network/scheduleNetworkAction", visit, "jobId") },
  }),
  "GET /users/jobs/jobCounts": async (client) => ({ client }),
  "PUT /users/jobs/editJobMessage/{jobId}": async (client) => ({
    client,
    id: await idOf(client, "/network/scheduleNetworkAction", visit, "jobId"),
    body: { message: "Soon." },
  }),
  "POST /enrich": async (client) => ({ client, body: { leads: [{ email: "ada@example.com" }] } }),
  "POST /prospecting/search": async (client) => ({ client, body: { filters: {} } }),
  "POST /network/upload-prospects": async (client) => ({
    client,
    body: { prospects: [{ name: "Ada Lovelace", network_url: "https://network.example/in/ada" }] },
  }),
  "POST /network/scheduleNetworkAction": async (client) => ({ client, body: visit }),
  "POST /leads": async (client) => ({ client, body: { email: "ada@example.com" } }),
  "GET /leads": async (client) => ({ client }),
  "PUT /leads/{leadId}": async (client) => ({
    client,
    id: await idOf(client, "/leads", { email: "ada@example.com" }),
    body: { title: "Countess" },
  }),
  "POST /voice-clones": async (client) => ({ client, body: cloneForm([["a.wav", beep(1)]]) }),
  "GET /voice-clones": async (client) => ({ client }),
  "PUT /voice-clones/{voiceId}": async (client) => ({ client, id: await newClone(client), body: { name: "Mine" } }),
  "POST /keys": async (client) => ({ client, body: keyInput }),
  "GET /keys": async (client) => ({ client }),
  "PUT /keys/{keyId}": async (client) => ({ client, id: await newKey(client), body: { name: "other" } }),
  "POST /keys/{keyId}/regenerate": async (client) => ({ client, id: await newKey(client) }),
  "DELETE /keys/{keyId}": async (client) => ({ client, id: await newKey(client) }),
};

function operationJson({ method, path }: Operation): Json {
  return ((json["paths"] as Json)[path] as Json)[method.toLowerCase()] as Json;
}

function bodyOf(operation: Operation): Json | null {
  const content = (operationJson(operation)["requestBody"] as { content?: Json } | undefined)?.content;
  return ((content?.["application/json"] as Json | undefined)?.["schema"] as Json | undefined) ?? null;
}

function queryOf(operation: Operation): Record<string, string> {
  const parameters = (operationJson(operation)["parameters"] ?? []) as Json[];
  const required = parameters.filter((one) => one["in"] === "query" && one["required"] === true);
  return Object.fromEntries(required.map((one) => [one["name"], String(exampleOf(one["schema"] as Json))]));
}

function resolved(schema: Json): Json {
  const ref = schema["$ref"];
  if (typeof ref !== "string") return schema;
  const { schemas } = json["components"] as { schemas: Record<string, Json> };
  return schemas[ref.replace("#/components/schemas/", "")]!;
}

/** For every object in a schema a valid value with an unknown field there. `base`: what the rest of it is like. */
function injections(schema: Json, base: unknown = exampleOf(schema)): Injected[] {
  const { anyOf, items, properties, patternProperties, additionalProperties } = resolved(schema);
  const within = (name: string, inner: Json, wrap: (value: unknown) => unknown, sample?: unknown): Injected[] =>
    injections(inner, sample).map(({ value, path }) => ({ value: wrap(value), path: `${name}.${path}` }));
  if (Array.isArray(anyOf)) return (anyOf as Json[]).flatMap((variant) => injections(variant));
  if (properties !== undefined) {
    const fields = base as Json;
    const here = additionalProperties === true ? [] : [{ value: { ...fields, [unknown]: 1 }, path: unknown }];
    const deeper = Object.entries(properties as Record<string, Json>).flatMap(([name, property]) =>
      within(name, property, (value) => ({ ...fields, [name]: value }), fields[name]),
    );
    return [...here, ...deeper];
  }
  if (items !== undefined) {
    const list = (base as unknown[]).length > 0 ? (base as unknown[]) : [exampleOf(items as Json)];
    return within("0", items as Json, (value) => [value, ...list.slice(1)], list[0]);
  }
  const [values] = Object.values((patternProperties ?? {}) as Record<string, Json>);
  return values === undefined ? [] : within("key", values, (value) => ({ key: value }));
}

const texts = [
  "text",
  "09:00",
  "2026-06-01T00:00:00.000Z",
  "2026-06-01",
  "ada@example.com",
  "PT1H",
  "https://a.example/",
];

function exampleOf(schema: Json): unknown {
  const { anyOf, items, properties, required, type, pattern, format, minimum, minItems, minLength, ...rest } =
    resolved(schema);
  if ("const" in rest) return rest["const"];
  if (Array.isArray(rest["enum"])) return rest["enum"][0];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as Json);
  if (properties !== undefined)
    return Object.fromEntries(
      ((required ?? []) as string[]).map((name) => [name, exampleOf((properties as Record<string, Json>)[name]!)]),
    );
  if (Array.isArray(type)) return exampleOf({ ...resolved(schema), type: type[0] });
  if (type === "array")
    return Array.from({ length: (minItems as number | undefined) ?? 0 }, () => exampleOf(items as Json));
  if (type === "integer" || type === "number") return minimum ?? 1;
  if (type === "boolean") return true;
  if (type === "null") return null;
  if (type === "object") return {};
  if (format === "date-time") return texts[2];
  const fitting = texts.filter((text) => pattern === undefined || new RegExp(pattern as string).test(text));
  return (fitting[0] ?? "text").padEnd((minLength as number | undefined) ?? 0, "x");
}
