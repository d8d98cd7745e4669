import { afterAll, describe, expect, test } from "bun:test";
import { finders } from "../../src/surfaces/mcp/advice.ts";
import { toolTable, withoutTool } from "../../src/surfaces/mcp/tool-table.ts";
import { permissions as allPermissions } from "../../src/platform/auth/key-model.ts";
import { Assistant } from "../support/mcp.ts";
import { createDirectory, runProgram } from "../support/program.ts";
import { eventually, startService, type Service } from "../support/service.ts";
import type { Client } from "../support/client.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const ada = { email: "ada@example.com", firstName: "Ada" };
const invitation = { actionType: "sendConnectionRequest", profileUrl: "https://network.example/in/ada" };

function over(client: Client, on: Service = service): Promise<Assistant> {
  return Assistant.overHttp(on, client.key);
}

test("every route of the API is a tool, or is listed with the reason why not", () => {
  const operations = service.document.operations
    .filter(({ path }) => path.startsWith("/api/v2"))
    .map(({ method, path }) => `${method} ${path}`);
  const called = Object.values(toolTable).flatMap(({ operation, globalOperation }) => [
    operation,
    globalOperation ?? [],
  ]);
  const covered = [...called.flat(), ...Object.keys(withoutTool)];
  // What stands here wants a line in src/surfaces/mcp/tool-table.ts: as a tool, or in `withoutTool` with the reason.
  expect(operations.filter((operation) => !covered.includes(operation))).toEqual([]);
  expect(covered.toSorted()).toEqual(operations.toSorted());
  for (const reason of Object.values(withoutTool)) expect(reason?.length).toBeGreaterThan(20);
});

test("every tool has a title, a description, a schema that takes nothing else, and all four hints", async () => {
  await using assistant = await over(service.admin);
  const { tools } = await assistant.client.listTools();
  expect(tools.length).toBeGreaterThan(80);
  for (const { name, title, description, inputSchema, annotations } of tools) {
    expect(name).toMatch(/^[a-z][a-z_]{2,63}$/);
    expect(title?.length).toBeGreaterThan(4);
    expect({ name, description }).toEqual({ name, description: expect.stringMatching(/[.?]$/) });
    expect({ name, description }).toEqual({ name, description: expect.not.stringContaining("/api/v2") });
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(JSON.stringify(inputSchema)).not.toContain("#/components");
    for (const argument of Object.keys(inputSchema.properties ?? {})) expect(argument).toMatch(/^\w+$/);
    expect(Object.keys(annotations ?? {})).toEqual([
      "title",
      "readOnlyHint",
      "destructiveHint",
      "idempotentHint",
      "openWorldHint",
    ]);
  }
});

test("what a tool needs and takes is what its route needs and takes", async () => {
  await using assistant = await over(service.admin);
  const { tools } = await assistant.client.listTools();
  const tool = tools.find(({ name }) => name === "update_lead");
  const operation = service.document.find("PUT", "/api/v2/leads/x");
  expect(Object.keys(tool?.inputSchema.properties ?? {}).toSorted()).toEqual(
    ["leadId", "ifMatch", ...(operation?.bodyFields ?? [])].filter((name) => name !== "userId").toSorted(),
  );
  expect(tool?.inputSchema.required).toEqual(["leadId"]);
});

test("nothing that sends or costs something is called read-only, and all of it has a dry run", async () => {
  await using assistant = await over(service.admin);
  const { tools } = await assistant.client.listTools();
  const costly = tools.filter(({ description = "" }) => /\bSENDS\b|COSTS? CREDITS|its price/.test(description));
  expect(costly.length).toBeGreaterThan(8);
  for (const { name, inputSchema, annotations } of costly)
    expect({ name, dryRun: inputSchema.properties?.["dryRun"], isReadOnly: annotations?.readOnlyHint }).toEqual({
      name,
      dryRun: expect.objectContaining({ type: "boolean", default: true }),
      isReadOnly: false,
    });
});

test("only tools that the key's permissions allow are listed", async () => {
  const user = await service.user();
  await using reader = await over(await service.keyOf(user, ["leads:read"]));
  const names = await reader.toolNames();
  expect(names).toContain("list_leads");
  expect(names).toContain("get_health");
  const allowed = Object.entries(toolTable).filter(([, { operation }]) => {
    const [method = "", path = ""] = operation.split(" ");
    const wanted = service.document.find(method, path.replaceAll(/\{\w+\}/g, "x"))?.permissions ?? [];
    return wanted.length === 0 || wanted.includes("leads:read");
  });
  expect(names.toSorted()).toEqual(allowed.map(([name]) => name).toSorted());
});

test("a tool that the key's permissions do not allow is refused with the permission that is missing", async () => {
  const user = await service.user();
  await using reader = await over(await service.keyOf(user, ["leads:read"]));
  const { isError, text, structured } = await reader.call("create_lead", ada);
  expect({ isError, code: structured.code }).toEqual({ isError: true, code: "PERMISSION_DENIED" });
  expect(text).toContain("Do not retry: the user would have to give this API key the permission leads:write.");
});

describe.each([
  ["HTTP", (client: Client) => over(client)],
  [
    "standard input and output",
    (client: Client) => Assistant.overStdio([], { OUTREACHD_URL: service.url, OUTREACHD_API_KEY: client.key ?? "" }),
  ],
] as const)("over %s", (_, connect) => {
  test("a lead that is stored by a tool is there for the API", async () => {
    const user = await service.user();
    await using assistant = await connect(user);
    const made = await assistant.call("create_lead", ada);
    expect(made).toMatchObject({ isError: false, structured: { data: { email: ada.email }, etag: '"1"' } });
    expect(made.text).toContain(ada.email);
    expect(made.text).not.toContain("null");
    const { data } = await user.get<{ email: string }>(`/api/v2/leads/${made.structured.data.id}`);
    expect(data.email).toBe(ada.email);
    const listed = await assistant.call("list_leads", { email: ada.email });
    expect(listed.structured.data).toMatchObject({ total: 1, limit: 20 });
  });

  test("scheduling is a dry run until it is said that it is not", async () => {
    const user = await service.user();
    await using assistant = await connect(user);
    const actions = async () => (await user.get<{ actions: unknown[] }>("/api/v2/network/actions")).data.actions.length;
    const foretold = await assistant.call("schedule_network_action", invitation);
    expect(foretold.text).toStartWith("This was a dry run");
    expect(foretold.structured.data).toMatchObject({ dryRun: true, scheduledFor: expect.any(String) });
    expect(await actions()).toBe(0);
    const once = { ...invitation, dryRun: false, idempotencyKey: "invite once" };
    const real = await assistant.call("schedule_network_action", once);
    expect(real.structured.data).toMatchObject({ dryRun: false, isNew: true });
    expect(await actions()).toBe(1);
    expect((await assistant.call("schedule_network_action", once)).structured.data).toEqual(real.structured.data);
    const again = await assistant.call("schedule_network_action", { ...invitation, dryRun: false });
    expect(again.text).toStartWith(
      `Do not retry: the same action is already scheduled as job ${real.structured.data.jobId}.`,
    );
    expect(await actions()).toBe(1);
  });

  test("wrong arguments are named, with what to do", async () => {
    await using assistant = await connect(await service.user());
    const misspelled = await assistant.call("schedule_network_action", { ...invitation, dry_run: false });
    expect(misspelled.isError).toBe(true);
    expect(misspelled.text).toMatch(/^VALIDATION_ERROR: dry_run: Unknown argument of .* Expected .*\bdryRun\b/);
    const quoted = await assistant.call("schedule_network_action", { ...invitation, dryRun: "false" });
    expect(quoted.text).toStartWith("VALIDATION_ERROR: dryRun: Expected true or false, without quotes.");
    const several = await assistant.call("create_lead", { email: 5, firstName: {} });
    expect(several.text).toContain("- email: Expected");
    expect(several.text).toContain("- firstName: Expected");
    expect(several.text).toEndWith("Nothing was done. Correct the listed arguments, then call again.");
    expect((await assistant.call("list_leads", { limit: 1000 })).text).toContain(
      "limit: Expected an integer from 1 to 100",
    );
    expect((await assistant.call("get_lead")).text).toContain("leadId: Must not be empty.");
  });

  test("an id that nothing has comes with the tool that finds ids", async () => {
    await using assistant = await connect(await service.user());
    for (const leadId of ["nothing", ".", "..", "../suppressions", "a?b#c", "\uD800"]) {
      const { isError, text } = await assistant.call("get_lead", { leadId });
      expect({ leadId, isError, text }).toEqual({
        leadId,
        isError: true,
        text: expect.stringContaining("Do not retry with the same ID. Look up the ID with list_leads."),
      });
    }
  });

  test("an unknown tool is an error of the protocol that names it", async () => {
    await using assistant = await connect(await service.user());
    await expect(assistant.call("send_everything")).rejects.toThrow("Tool send_everything not found.");
  });

  test("a key that is revoked ends what it could do at once", async () => {
    const user = await service.user();
    const key = await service.keyOf(user, ["leads:read"]);
    await using assistant = await connect(key);
    expect((await assistant.call("list_leads")).isError).toBe(false);
    const { keys } = (await user.get<{ keys: { id: string; permissions: string[] }[] }>("/api/v2/keys")).data;
    const id = keys.find(({ permissions }) => permissions.length === 1)?.id;
    expect((await user.delete(`/api/v2/keys/${id}`)).status).toBe(200);
    const outcome = await assistant.call("list_leads").then(
      ({ isError, text }) => (isError ? text : "an answer"),
      (error: Error) => error.message,
    );
    expect(outcome).toContain("UNAUTHORIZED");
  });

  test("huge arguments are refused, and the next call works", async () => {
    await using assistant = await connect(await service.user());
    const outcome = await assistant.call("create_lead", { ...ada, notes: "x".repeat(2 ** 21) }).then(
      ({ isError, text }) => (isError ? text : "an answer"),
      (error: Error) => error.message,
    );
    expect(outcome).toContain("PAYLOAD_TOO_LARGE");
    expect((await assistant.call("list_leads")).structured.data.total).toBe(0);
  });

  test("a file of leads is checked, then imported, and exported again", async () => {
    const user = await service.user();
    await using assistant = await connect(user);
    const content = "email,first name\nada@example.com,Ada\nnobody,Bob\n";
    const follow = async (jobId: string) => {
      await service.ended(user, jobId);
      return (await assistant.call("get_job", { jobId })).structured.data.metadata;
    };
    const checked = await assistant.call("import_leads", { content });
    expect(await follow(checked.structured.data.id)).toMatchObject({ created: 1, failed: 1, dryRun: true });
    expect((await assistant.call("list_leads")).structured.data.total).toBe(0);
    const options = { tags: ["a", "b"], dryRun: false, columns: { "first name": "firstName" } };
    const imported = await assistant.call("import_leads", { content, ...options });
    expect(await follow(imported.structured.data.id)).toMatchObject({ created: 1, failed: 1 });
    const report = await assistant.call("get_lead_import_report", { jobId: imported.structured.data.id });
    expect(report.structured.data.rows).toMatchObject([{ row: 3, outcome: "failed" }]);
    const exported = await assistant.call("export_leads", { tag: "a" });
    expect(exported.structured).toMatchObject({
      isComplete: true,
      content: expect.stringContaining("Ada,,ada@example.com"),
    });
  });
});

test("a bearer token is as good as x-api-key", async () => {
  const user = await service.user();
  const headers = { authorization: `Bearer ${user.key}` };
  await using assistant = await Assistant.overHttp(service, null, { headers });
  expect((await assistant.call("get_me")).structured.data.id).toBe(user.userId);
});

test("without a valid key nothing is answered, not even which tools there are", async () => {
  for (const headers of [{}, { "x-api-key": `oak_${"0".repeat(64)}` }, { authorization: "Bearer x" }])
    await expect(Assistant.overHttp(service, null, { headers: headers as Record<string, string> })).rejects.toThrow(
      "UNAUTHORIZED",
    );
});

const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const accept = { accept: "application/json, text/event-stream" };

test("a page of another origin is refused, also one whose name was bound to this address", async () => {
  const { host } = new URL(service.url);
  for (const origin of ["https://evil.example", `http://${host}`, "null"]) {
    const { status, code } = await service.admin.post("/mcp", message, { headers: { ...accept, origin } });
    expect({ origin, status, code }).toEqual({ origin, status: 403, code: "PERMISSION_DENIED" });
  }
});

test("a page of an origin that the configuration lists may use it", async () => {
  const origin = "https://inspector.example";
  await using own = await startService({ settings: { CORS_ORIGINS: origin } });
  const { status, headers } = await own.admin.post("/mcp", message, { headers: { ...accept, origin } });
  expect({ status, allowed: headers.get("access-control-allow-origin") }).toEqual({ status: 200, allowed: origin });
  const preflight = await fetch(`${own.url}/mcp`, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST" },
  });
  expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
});

test.each([
  ["GET", undefined, 405],
  ["DELETE", undefined, 405],
  ["POST", "not JSON", 415],
])("%s of %j is refused: there are no sessions and no streams", async (method, body, expected) => {
  const { status } = await service.admin.send(method, "/mcp", { ...(body !== undefined && { body }), headers: accept });
  expect(status).toBe(expected);
});

const request = (method: unknown, params?: unknown) => ({ jsonrpc: "2.0", id: 7, method, params });
const invalidParams = -32_602;
const invalidRequest = -32_600;
/** What a client may send by mistake: the code that JSON-RPC has for it, and a part of the sentence. */
const mistakes: [sent: unknown, code: number, sentence: string][] = [
  [request("tools/call"), invalidParams, "expected `params` to be an object. Expected params like"],
  [request("tools/call", {}), invalidParams, "expected `params.name` to be a string. Expected params like"],
  [request("tools/call", { name: 5 }), invalidParams, "expected `params.name` to be a string"],
  [request("tools/call", { name: "get_me", arguments: "x" }), invalidParams, "`params.arguments` to be an object"],
  [request("tools/call", { name: "get_me", arguments: [] }), invalidParams, "`params.arguments` to be an object"],
  [request("tools/call", { name: "get_me", _meta: 1 }), invalidParams, "`params._meta` to be an object"],
  [request("tools/call", ["get_me"]), invalidParams, "Expected `params` to be an object. Expected params like"],
  [request("tools/call", { name: "get_them" }), invalidParams, "Tool get_them not found. tools/list lists"],
  [request("tools/call", { name: "x".repeat(10_000) }), invalidParams, `Tool ${"x".repeat(100)} not found. tools/list`],
  [{ ...request("ping"), extra: 1 }, invalidRequest, "Unknown field `extra`. Expected jsonrpc, id, method, params."],
  [{ jsonrpc: "2.0", id: 7, error: 5 }, invalidRequest, "Expected a JSON-RPC response"],
  [request("tools/list", { cursor: 1 }), invalidParams, "`params.cursor` to be a string"],
  [request("initialize", {}), invalidParams, "`params.protocolVersion` to be a string"],
  [request("resources/read", { uri: "x" }), -32_601, "Method not found"],
  [request("prompts/get", {}), -32_601, "Method not found"],
  [request("constructor"), -32_601, "Method not found"],
  [request(5), invalidRequest, "Expected `method` to be a string."],
  [{ ...request("ping"), id: null }, invalidRequest, "Expected `id` to be a string or an integer."],
  [{ ...request("ping"), jsonrpc: "1.0" }, invalidRequest, 'Expected "jsonrpc": "2.0".'],
  [[request("ping"), request("ping")], invalidRequest, "Send each message separately"],
  [5, invalidRequest, "Expected a JSON-RPC message"],
];
const idOf = (sent: unknown) => (Array.isArray(sent) ? null : ((sent as { id?: number | null }).id ?? null));
type Refusal = { id: unknown; error: { code: number; message: string } };
function expectRefusal(refusal: Refusal, sent: unknown, code: number, sentence: string): void {
  const message = expect.stringContaining(sentence) as string;
  expect(refusal).toEqual({ jsonrpc: "2.0", id: idOf(sent), error: { code, message } } as Refusal);
  // No dump of a validator, nor what the SDK puts in front.
  expect(refusal.error.message).not.toMatch(/[\n[]|^MCP error/);
}

test("what is no message of the protocol is refused in its own words, with the code that JSON-RPC has for it", async () => {
  const headers = { ...accept, "x-api-key": service.admin.key ?? "", "content-type": "application/json" };
  const post = (body: string) => fetch(`${service.url}/mcp`, { method: "POST", headers, body });
  for (const [sent, code, sentence] of mistakes) {
    const response = await post(JSON.stringify(sent));
    expectRefusal((await response.json()) as Refusal, sent, code, sentence);
    expect(response.status).toBe(idOf(sent) === null ? 400 : 200);
  }
  for (const text of ['{"jsonrpc": "2.0", "id": 1', "{'a': 1}", ""]) {
    const response = await post(text);
    expect(response.status).toBe(400);
    const code = text === "" ? invalidRequest : -32_700;
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } });
  }
});

test("`outreachd mcp` refuses what is no UTF-8, as the server does", async () => {
  const call = JSON.stringify(request("tools/call", { name: "create_lead", arguments: { firstName: "J" } }));
  const stdin = Buffer.concat([Buffer.from(call.slice(0, -4)), Buffer.from([0xe9]), Buffer.from(call.slice(-4))]);
  const { out } = await runProgram(["mcp", "--data", service.dataDir], { stdin });
  expect(JSON.parse(out)).toMatchObject({
    id: null,
    error: { code: -32_700, message: expect.stringContaining("UTF-8") },
  });
});

test("`outreachd mcp` answers mistakes as the server does, and goes on", async () => {
  const numbered = mistakes.map(([sent], index) => {
    const hasId = typeof sent === "object" && !Array.isArray(sent) && idOf(sent) === 7;
    return hasId ? { ...(sent as object), id: index } : sent;
  });
  const lines = [
    ...numbered.map((sent) => JSON.stringify(sent)),
    "{'a': 1}",
    "",
    JSON.stringify({ ...request("ping"), id: "last" }),
  ];
  const args = ["mcp", "--data", service.dataDir];
  const { out, exitCode } = await runProgram(args, { stdin: `${lines.join("\n")}\n` });
  expect(exitCode).toBe(0);
  const answers = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Refusal);
  expect(answers).toHaveLength(mistakes.length + 2);
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: "last", result: {} } as unknown as Refusal);
  const withoutId = answers.filter(({ id }) => id === null).map(({ error }) => error.code);
  expect(withoutId.toSorted((a, b) => a - b)).toEqual([-32_700, ...Array<number>(3).fill(invalidRequest)]);
  for (const [index, [sent, code, sentence]] of mistakes.entries()) {
    const answer = answers.find(({ id }) => id === index);
    if (answer === undefined) expect(idOf(sent)).toBeNull();
    else expectRefusal({ ...answer, id: 7 }, sent, code, sentence);
  }
});

test("a call takes a request and a tenth from the rate limits, and says when there are none left", async () => {
  await using own = await startService({ settings: { RATE_LIMIT_MINUTE: 3 } });
  const user = await own.user();
  await using assistant = await over(user, own); // initialize and initialized: 2 tenths
  for (const calls of [1, 2])
    expect({ calls, isError: (await assistant.call("list_leads")).isError }).toEqual({ calls, isError: false });
  const refused = await assistant.call("list_leads");
  expect(refused.text).toMatch(
    /^RATE_LIMIT_EXCEEDED: .*\nNothing was done\. Wait \d+ seconds before any other call\.$/s,
  );
});

test("with a global key a call names its user, or the address names one for all", async () => {
  const user = await service.user();
  const { key } = await service.globalKey();
  await using anybody = await Assistant.overHttp(service, key);
  expect((await anybody.call("create_lead", ada)).text).toContain("userId");
  expect((await anybody.call("create_lead", { ...ada, userId: user.userId })).isError).toBe(false);
  await using own = await Assistant.overHttp(service, user.key);
  expect(await anybody.toolNames()).toEqual(await own.toolNames());
  expect((await anybody.call("list_jobs", { userId: user.userId })).isError).toBe(false);
  await using bound = await Assistant.overHttp(service, key, { path: `/mcp?userId=${user.userId}` });
  expect((await bound.call("list_leads")).structured.data.total).toBe(1);
  expect((await bound.call("list_jobs")).isError).toBe(false);
  const { tools } = await bound.client.listTools();
  for (const each of ["list_leads", "list_jobs"]) {
    const schema = tools.find(({ name }) => name === each)?.inputSchema;
    expect(schema?.properties).not.toHaveProperty("userId");
    expect(schema?.required ?? []).not.toContain("userId");
  }
  expect(bound.client.getInstructions()).toContain(user.userId);
});

test("a user's key acts for nobody else, whatever the address says", async () => {
  const [user, other] = [await service.user(), await service.user()];
  await using assistant = await Assistant.overHttp(service, user.key, { path: `/mcp?userId=${other.userId}` });
  expect((await assistant.call("get_me")).structured.data.id).toBe(user.userId);
  expect((await assistant.call("list_leads", { userId: other.userId })).structured.code).toBe("PERMISSION_DENIED");
});

test("a change by ifMatch does not overwrite what somebody else changed in between", async () => {
  const user = await service.user();
  await using assistant = await over(user);
  const { structured } = await assistant.call("create_lead", ada);
  const { id: leadId } = structured.data;
  expect((await user.put(`/api/v2/leads/${leadId}`, { title: "Countess" })).status).toBe(200);
  const late = await assistant.call("update_lead", { leadId, ifMatch: structured.etag, title: "Lady" });
  expect(late).toMatchObject({ isError: true, structured: { code: "PRECONDITION_FAILED" } });
  const { etag } = (await assistant.call("get_lead", { leadId })).structured;
  expect((await assistant.call("update_lead", { leadId, ifMatch: etag, title: "Lady" })).isError).toBe(false);
});

test("a call with an idempotencyKey is carried out once, and is not taken for its own dry run", async () => {
  const user = await service.user();
  await using assistant = await over(user);
  const made = await assistant.call("create_lead", { ...ada, idempotencyKey: 'my "first", once' });
  const again = await assistant.call("create_lead", { ...ada, idempotencyKey: 'my "first", once' });
  expect(again.text).toStartWith("This call was already carried out with the same idempotencyKey");
  expect(again.structured.data.id).toBe(made.structured.data.id);
  const other = await assistant.call("create_lead", { email: "bob@example.com", idempotencyKey: 'my "first", once' });
  expect(other).toMatchObject({ isError: true, structured: { code: "IDEMPOTENCY_KEY_REUSED" } });
  const content = "email\nada@example.com\n";
  const search = { filters: { person: { title: ["Admiral"] } }, idempotencyKey: "second" };
  expect((await assistant.call("search_prospects", search)).isError).toBe(false);
  expect((await assistant.call("search_prospects", { ...search, dryRun: false })).isError).toBe(false);
  expect((await assistant.call("import_leads", { content, idempotencyKey: "third" })).isError).toBe(false);
});

test("what has no dry run of its own shows what it would act upon", async () => {
  const user = await service.user();
  await using assistant = await over(user);
  const steps = [{ type: "action", actionType: "visitProfile" }];
  const { id: campaignId } = (await assistant.call("create_campaign", { name: "Spring", steps })).structured.data;
  const state = async () => (await assistant.call("get_campaign", { campaignId })).structured.data.state;
  const foretold = await assistant.call("start_campaign", { campaignId });
  expect(foretold.structured).toMatchObject({ dryRun: true, data: { enrolled: 0 } });
  expect(foretold.text).toContain("preview_campaign shows when");
  expect(await state()).toBe("draft");
  expect((await assistant.call("start_campaign", { campaignId, dryRun: false })).isError).toBe(false);
  expect(await state()).toBe("running");
  expect((await assistant.call("start_campaign", { campaignId: "nothing" })).structured.code).toBe("NOT_FOUND");
});

test("a search tells its cost before it takes credits", async () => {
  const person = { first_name: "Grace", work_email: "grace@example.com", job_title: "Admiral" };
  await using vendor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ status: 200, data: [person], total: 1 }),
  });
  const PROSPECT_URLS = `pdl=http://127.0.0.1:${vendor.port}`;
  await using paid = await startService({
    settings: { PDL_KEY: "key", PROSPECT_URLS, ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  });
  await using assistant = await over(await paid.user(), paid);
  const filters = { person: { title: ["Admiral"] } };
  const balance = async () => (await assistant.call("get_credits")).structured.data.balance;
  const before = await balance();
  const search = { filters, source: "pdl", limit: 1 };
  const foretold = await assistant.call("search_prospects", search);
  expect(foretold.structured.data).toMatchObject({ prospects: [], total: null, creditsRequired: 1, creditsUsed: 0 });
  expect(await balance()).toBe(before);
  const found = await assistant.call("search_prospects", { ...search, dryRun: false });
  expect(found.structured.data).toMatchObject({ prospects: [{ firstName: "Grace" }], creditsUsed: 1 });
  expect(await balance()).toBe(before - 1);
});

test("whom nobody may contact is refused with the order not to look for a way around", async () => {
  await using assistant = await over(await service.user());
  expect((await assistant.call("add_suppressions", { values: [ada.email] })).isError).toBe(false);
  const { text, structured } = await assistant.call("create_lead", ada);
  expect(structured.code).toBe("DO_NOT_CONTACT");
  expect(text).toContain("do not try another address or tool");
  expect(text).not.toContain("/api/v2/");
});

test("a page that is too long is cut between two items, and says how to get the rest", async () => {
  const user = await service.user();
  await using assistant = await over(user);
  for (let index = 0; index < 12; index++)
    await user.post("/api/v2/leads", { email: `a${index}@example.com`, notes: "x".repeat(9_000) });
  const { text, structured } = await assistant.call("list_leads");
  const { leads, nextCursor } = structured.data;
  expect(leads).toHaveLength(5);
  expect(nextCursor).toBeUndefined();
  expect(text.length).toBeLessThan(51_000);
  expect(text).toStartWith("Only the first 5 of 12 leads are shown");
  const first = await assistant.call("list_leads", { limit: 5 });
  expect(first.text).toStartWith("There are more. For the next ones, call again with the same arguments and cursor ");
  const second = await assistant.call("list_leads", { limit: 5, cursor: first.structured.data.nextCursor });
  const ids = [...first.structured.data.leads, ...second.structured.data.leads].map(({ id }) => id);
  expect(new Set(ids).size).toBe(10);
});

test("tools that refusals name exist", () => {
  expect(Object.values(finders).filter((name) => !(name in toolTable))).toEqual([]);
});

test("an export that is too long ends after a whole line and says so", async () => {
  const user = await service.user();
  await using assistant = await over(user);
  const notes = "x".repeat(9_000);
  for (let index = 0; index < 30; index++)
    expect((await user.post("/api/v2/leads", { email: `a${index}@example.com`, notes })).status).toBe(200);
  const { text, structured } = await assistant.call("export_leads", { format: "ndjson" });
  expect(structured.isComplete).toBe(false);
  const lines = structured.content.trimEnd().split("\n");
  expect(lines.length).toBeLessThan(30);
  for (const line of lines) expect(JSON.parse(line).notes).toBe(notes);
  expect(text).toContain("truncated");
});

test("the permissions that a key can hold all have tools", async () => {
  const without: string[] = ["network:voice", "voice:create", "metrics:read"];
  for (const permission of allPermissions.filter((name) => !without.includes(name))) {
    await using assistant = await over(await service.keyOf(service.admin, [permission]));
    expect({ permission, tools: (await assistant.toolNames()).length > 1 }).toEqual({ permission, tools: true });
  }
});

test("`outreachd mcp` finds the server by its data directory, and again after a restart", async () => {
  await using own = await startService();
  const log: string[] = [];
  await using assistant = await Assistant.overStdio(["--data", own.dataDir], {}, log);
  expect((await assistant.call("create_lead", ada)).isError).toBe(false);
  expect(assistant.client.getInstructions()).toContain(own.admin.userId);
  await own.restart();
  expect((await assistant.call("list_leads")).structured.data.total).toBe(1);
  expect(log).toEqual([]);
});

test("`outreachd mcp` without data ends with the reason on standard error", async () => {
  const log: string[] = [];
  const failed = Assistant.overStdio(["--data", "/nowhere/at/all"], {}, log);
  await expect(failed).rejects.toThrow();
  await eventually("the reason", async () => (log.join("").includes("outreachd serve") ? true : null));
  expect(log.join("")).toStartWith("Error: No outreachd data found in /nowhere/at/all.");
});

test("`outreachd mcp` without a server works on the data itself, and lets other commands in meanwhile", async () => {
  await using directory = await createDirectory();
  const args = ["--data", directory.path];
  expect((await runProgram(["user", "create", "ada@example.com", ...args])).exitCode).toBe(0);
  const exported = async () => (await runProgram(["export", "leads", "--format", "ndjson", ...args])).out;
  {
    await using assistant = await Assistant.overStdio(args);
    expect((await assistant.call("create_lead", ada)).isError).toBe(false);
    await using other = await Assistant.overStdio(args);
    expect((await other.call("list_leads")).structured.data.total).toBe(1);
    expect(await exported()).toContain(ada.email);
  }
  expect(await exported()).toContain(ada.email);
});
