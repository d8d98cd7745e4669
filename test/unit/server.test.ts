import { afterAll, expect, test } from "bun:test";
import type { RequestContext } from "../../src/platform/http/request-context.ts";
import { RouteTable } from "../../src/platform/http/route-table.ts";
import { routes } from "../../src/platform/http/route.ts";
import { HttpServer } from "../../src/platform/http/server.ts";
import { eventually } from "../support/service.ts";

// What the server relies on beyond the manuals of Elysia and Bun. It fails if a new version works differently.

const handled = () => null;
const list = routes("")
  .get("/leads/", handled, {})
  .post("/leads/", handled, {})
  .get("/leads/export", handled, {})
  .put("/leads/:leadId", handled, {})
  .get("/leads/:leadId", handled, {})
  .get("/files/*", handled, {});

/** Reports which route was found; the server itself only routes. */
const pipeline = {
  async handle({ route, request, params }: RequestContext): Promise<Response> {
    const body = request.body === null ? "" : await request.text();
    return Response.json({ route, method: request.method, params, body }, { status: 201 });
  },
};
const connection = { publicUrl: null, trustedProxies: 0, onStreamError: () => {} };
const server = new HttpServer(new RouteTable([list]), pipeline, connection);
const listening = server.listen("127.0.0.1", 0);
afterAll(() => listening.stop(1000));

const collection = "/leads";
const item = "/leads/{leadId}";
test.each([
  ["GET", "/leads", collection, {}],
  ["GET", "/leads/", collection, {}],
  ["POST", "/leads", collection, {}],
  ["POST", "/leads/?x=1", collection, {}],
  ["GET", "/leads/export", "/leads/export", {}],
  ["GET", "/leads/a%20b?x=1", item, { leadId: "a b" }],
  ["PUT", "/leads/1", item, { leadId: "1" }],
  ["PATCH", "/leads/1/", item, { leadId: "1" }],
  ["GET", "/files/a/b", "/files/*", { "*": "a/b" }],
  ["DELETE", "/leads", null, {}],
  ["GET", "/nothing", null, {}],
  ["OPTIONS", "/leads", null, {}],
])("%s %s is routed to %p, over a connection and without one", async (method, path, route, params) => {
  const body = method === "POST" ? "text" : "";
  const init = { method, ...(body !== "" && { body }) };
  const expected = { route, method, params, body };
  const overConnection = await fetch(listening.url + path, init);
  expect([overConnection.status, await overConnection.json()]).toEqual([201, expected]);
  const inProcess = await server.fetch(new Request(`http://crm${path}`, init));
  expect([inProcess.status, await inProcess.json()]).toEqual([201, expected]);
});

test("HEAD is routed like GET, and the body is removed", async () => {
  const response = await fetch(`${listening.url}/leads/1`, { method: "HEAD" });
  expect([response.status, await response.text()]).toEqual([201, ""]);
});

test("a connection stays open, and is closed after its next response once the server drains", async () => {
  const draining = new HttpServer(new RouteTable([list]), pipeline, connection);
  const { url, drain, stop } = draining.listen("127.0.0.1", 0);
  const received: string[] = [];
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(url).port),
    socket: { data: (_, bytes) => void received.push(bytes.toString()), close: () => closed.resolve() },
  });
  const request = "GET /leads/1 HTTP/1.1\r\nHost: crm\r\n\r\n";
  socket.write(request);
  await eventually("a response", () => Promise.resolve(received.length === 1 || null));
  drain();
  socket.write(request);
  await closed.promise;
  expect(received.map((response) => response.includes("Connection: close"))).toEqual([false, true]);
  await stop(1000);
});

test("a second server cannot listen on the same port", () => {
  const { port } = new URL(listening.url);
  const second = new HttpServer(new RouteTable([list]), pipeline, connection);
  expect(() => second.listen("127.0.0.1", Number(port))).toThrow("another program is listening there");
});
