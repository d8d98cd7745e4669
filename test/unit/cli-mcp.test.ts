import { expect, test } from "bun:test";
import { Assistant } from "../support/mcp.ts";
import { eventually } from "../support/service.ts";

const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "fake", version: "1" },
};

/** A server that never answers calls of tools, and counts those that come and those that are given up. */
function startSilentServer() {
  const seen = { called: 0, givenUp: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (method === "initialize") return Response.json({ jsonrpc: "2.0", id, result: initialized });
      if (method !== "tools/call") return new Response(null, { status: 202 });
      seen.called++;
      request.signal.addEventListener("abort", () => seen.givenUp++);
      return new Promise<Response>(() => {});
    },
  });
  return { url: server.url.origin, seen, stop: () => server.stop(true) };
}

const keyFor = (url: string) => ({ OUTREACHD_URL: url, OUTREACHD_API_KEY: `oak_${"a".repeat(64)}` });
const since = <T>(value: T, isSo: boolean): T | null => (isSo ? value : null);

test("a call that the assistant cancels is given up at the server", async () => {
  const { url, seen, stop } = startSilentServer();
  await using assistant = await Assistant.overStdio([], keyFor(url));
  const cancel = new AbortController();
  const call = assistant.client.callTool({ name: "enrich_leads" }, undefined, { signal: cancel.signal });
  await eventually("the call", async () => since(true, seen.called === 1));
  cancel.abort("not wanted any more");
  await expect(call).rejects.toThrow("not wanted any more");
  await eventually("its end", async () => since(true, seen.givenUp === 1));
  await stop();
});

test("a server that goes away in the middle of a call leaves it open whether it was done", async () => {
  const { url, seen, stop } = startSilentServer();
  await using assistant = await Assistant.overStdio([], keyFor(url));
  const call = assistant.call("enrich_leads");
  await eventually("the call", async () => since(true, seen.called === 1));
  await stop();
  const { isError, text } = await call;
  expect(isError).toBe(true);
  expect(text).toContain("check whether it did before you repeat it");
  expect(seen.called).toBe(1);
});
