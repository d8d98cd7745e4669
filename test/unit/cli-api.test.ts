import { expect, test } from "bun:test";
import { callableOperations, nearOperations } from "../../src/surfaces/cli/operation-hints.ts";
import { ada, createCommandLine, userPage } from "../support/command-line.ts";

const lead = { name: "leadId", in: "path" };
const document = {
  paths: {
    "/api/v2/leads": {
      get: {
        operationId: "listLeads",
        summary: "List leads",
        parameters: [{ name: "tag", in: "query" }],
        "x-acts-for": "user",
      },
      post: { operationId: "createLead", summary: "Create a lead", requestBody: {}, "x-acts-for": "user" },
    },
    "/api/v2/leads/{leadId}": {
      get: { operationId: "getLead", summary: "Get a lead", parameters: [lead], "x-acts-for": "user" },
    },
    "/api/v2/leads/export": { get: { operationId: "exportLeads", summary: "Export leads", "x-acts-for": "user" } },
    "/api/v2/nodes": { get: { operationId: "listNodes", summary: "List nodes", "x-acts-for": "caller" } },
  },
};

async function commandLine(answer: (request: Request) => Response = () => Response.json({ success: true, data: 1 })) {
  const requests: { method: string; url: string; body: string; type: string | null }[] = [];
  const api = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/openapi.json") return Response.json(document);
    if (pathname === "/api/v2/users") return userPage([ada]);
    const body = await request.text();
    requests.push({ method: request.method, url: pathname + search, body, type: request.headers.get("content-type") });
    return answer(request);
  };
  return { ...(await createCommandLine({ api })), requests };
}

test("an operation is called by its ID, with parameters in the path and the query", async () => {
  await using cli = await commandLine();
  const { exitCode, out } = await cli.run("api", "listLeads", "--param", "tag=a b", "--param", "tag=c");
  expect([exitCode, JSON.parse(out)]).toEqual([0, { success: true, data: 1 }]);
  await cli.run("api", "getLead", "--param", "leadId=x/y");
  expect(cli.requests.map(({ url }) => url)).toEqual([
    "/api/v2/leads?tag=a+b&tag=c&userId=u-ada",
    "/api/v2/leads/x%2Fy?userId=u-ada",
  ]);
});

test("a body is sent as JSON, from the command line or a file", async () => {
  await using cli = await commandLine();
  await cli.run("api", "createLead", "--body", '{"email":"ada@example.com"}');
  expect(cli.requests[0]).toMatchObject({
    method: "POST",
    body: '{"email":"ada@example.com"}',
    type: "application/json",
  });
  expect((await cli.run("api", "createLead", "--body", "{email}")).err).toContain("--body is not JSON");
  expect((await cli.run("api", "listLeads", "--body", "{}")).err).toContain("listLeads takes no body");
});

test("an operation is found by method and path, exact paths first, and acts for a user only if it does", async () => {
  await using cli = await commandLine();
  await cli.run("api", "get", "/leads/export");
  await cli.run("api", "GET", "/api/v2/leads/l1");
  await cli.run("api", "GET", "/nodes");
  expect(cli.requests.map(({ url }) => url)).toEqual([
    "/api/v2/leads/export?userId=u-ada",
    "/api/v2/leads/l1?userId=u-ada",
    "/api/v2/nodes",
  ]);
});

test("what is wrong is said before anything is sent", async () => {
  await using cli = await commandLine();
  const errorOf = async (...args: string[]) => {
    const { exitCode, err } = await cli.run("api", ...args);
    expect(exitCode).toBe(2);
    return err;
  };
  expect(await errorOf("listLead")).toContain("Did you mean listLeads?");
  expect(await errorOf("leadsExport")).not.toContain("Did you mean");
  expect(await errorOf("leads")).toMatch(/Did you mean (listLeads or exportLeads|exportLeads or listLeads) or \w+\?/);
  expect(await errorOf("DELETE", "/leads")).toContain("No operation DELETE /leads.");
  expect(await errorOf("getLead")).toContain("getLead needs --param leadId=VALUE.");
  expect(await errorOf("getLead", "--param", "l1")).toContain("Expected --param NAME=VALUE");
  expect(cli.requests).toEqual([]);
});

test("a refusal ends with its message, and a file is printed as it is", async () => {
  await using refused = await commandLine(() =>
    Response.json({ error: true, message: "No such lead." }, { status: 404 }),
  );
  const { exitCode, err } = await refused.run("api", "getLead", "--param", "leadId=x");
  expect([exitCode, err]).toEqual([1, "Error: No such lead.\n"]);
  await using file = await commandLine(() => new Response("email\n", { headers: { "content-type": "text/csv" } }));
  expect((await file.run("api", "exportLeads")).out).toBe("email\n");
});

test("the list names every operation", async () => {
  await using cli = await commandLine();
  const { out } = await cli.run("api", "--list");
  for (const id of ["listLeads", "createLead", "getLead", "exportLeads", "listNodes"]) expect(out).toContain(id);
});

async function completed(...words: string[]): Promise<string[]> {
  await using cli = await createCommandLine();
  const { out } = await cli.run("completion", "bash");
  const script = `${out}\nCOMP_WORDS=(outreachd ${words.map((word) => `'${word}'`).join(" ")})\nCOMP_CWORD=${words.length}\n_outreachd\necho "\${COMPREPLY[@]}"`;
  const { stdout, exitCode } = Bun.spawnSync(["bash", "-c", script]);
  expect(exitCode).toBe(0);
  return stdout.toString().trim().split(" ");
}

test("a shell completes commands, subcommands, and flags", async () => {
  expect(await completed("impo")).toEqual(["import"]);
  expect(await completed("key", "")).toContain("revoke");
  expect(await completed("key", "create", "--per-m")).toEqual(["--per-minute"]);
  expect(await completed("key", "create", "--name", "revoke", "--glo")).toEqual(["--global"]);
});

test("a shell completes the operations of the API", async () => {
  expect(await completed("api", "listWebhookE")).toEqual(["listWebhookEndpoints"]);
  expect(await completed("api", "checkL")).toEqual([""]);
  expect(await completed("key", "listWebhookE")).toEqual([""]);
});

test("an operation by half of its name is suggested", () => {
  expect(nearOperations("listWebhooks", callableOperations())[0]).toBe("listWebhookEndpoints");
  expect(nearOperations("listVoices", callableOperations())).toContain("listVoiceClones");
  expect(nearOperations("listLeeds", callableOperations())).toEqual(["listLeads"]);
  expect(nearOperations("zzz", callableOperations())).toEqual([]);
  expect(nearOperations("foo", callableOperations())).toEqual([]);
});

test.each([
  ["sessions", "listSessions"],
  ["voice", "Voice"],
  ["audits", "listAuditEntries"],
  ["help sessions", "listSessions"],
  ["sessions --help", "listSessions"],
])("an unknown command (%s) that the API has operations for points to them", async (line, id) => {
  await using cli = await createCommandLine();
  const { exitCode, err } = await cli.run(...line.split(" "));
  expect(exitCode).toBe(2);
  expect(err).toContain("unknown command");
  expect(err).toContain(id);
  expect(err).toContain("`outreachd api OPERATION`; `outreachd api --list` shows all.");
});

test.each(["improve", "user nope", "key webhooks"])("other unknown commands (%s) do not", async (line) => {
  await using cli = await createCommandLine();
  expect((await cli.run(...line.split(" "))).err).not.toContain("outreachd api");
});

test.each(["zsh", "fish"])("a script for %s has the same words", async (shell) => {
  await using cli = await createCommandLine();
  const { exitCode, out } = await cli.run("completion", shell);
  expect(exitCode).toBe(0);
  for (const word of ["import", "revoke", "--per-minute", "listWebhookEndpoints"]) expect(out).toContain(word);
  expect((await cli.run("completion", "powershell")).exitCode).toBe(2);
});
