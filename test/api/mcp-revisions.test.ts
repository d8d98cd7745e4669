import { afterAll, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { programCommand } from "../support/program.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const endpoint = new URL("/mcp", service.url);
const headers = {
  "x-api-key": service.admin.key ?? "",
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};
const overHttp = () => new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } });
function overStdio(): Transport {
  const [command = "", ...program] = programCommand;
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", TZ: "UTC" };
  return new StdioClientTransport({ command, args: [...program, "mcp", "--data", service.dataDir], env });
}

async function post(method: string, params: object, more: Record<string, string> = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
  const response = await fetch(endpoint, { method: "POST", headers: { ...headers, ...more }, body });
  return { response, answer: await response.json() };
}

test.each(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
  "a client of revision %s is answered in its revision, with JSON",
  async (protocolVersion) => {
    const clientInfo = { name: "test", version: "1" };
    const opening = await post("initialize", { protocolVersion, capabilities: {}, clientInfo });
    expect(opening.answer.result).toMatchObject({ protocolVersion, serverInfo: { name: "outreachd" } });
    const { response, answer } = await post("tools/list", {}, { "mcp-protocol-version": protocolVersion });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(answer.result.tools.length).toBeGreaterThan(80);
  },
);

test.each([
  ["HTTP", overHttp],
  ["`outreachd mcp`", overStdio],
])("a client of revision 2026-07-28 lists and calls tools over %s", async (_, open) => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(open());
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(client.getInstructions()).toStartWith("outreachd stores leads");
    expect((await client.listTools()).tools.length).toBeGreaterThan(80);
    const { structuredContent } = await client.callTool({ name: "list_leads", arguments: { limit: 1 } });
    expect(structuredContent).toMatchObject({ data: { leads: [] } });
    const unknown = client.callTool({ name: "größe", arguments: {} });
    await expect(unknown).rejects.toThrow("Tool größe not found. tools/list lists all tools.");
  } finally {
    await client.close();
  }
});

test("a subscription is refused: nothing changes that a client could wait for", async () => {
  const method = "subscriptions/listen";
  const revision = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { answer } = await post(
    method,
    { notifications: { toolsListChanged: true }, _meta: meta },
    { "mcp-protocol-version": revision, "mcp-method": method },
  );
  expect(answer).toMatchObject({ id: 7, error: { code: expect.any(Number) } });
});
