import { expect, test } from "bun:test";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";

type Line = Record<string, unknown> & { requestId?: string; msg: string };

test("the log has one line a request, which says who asked for what and what became of it, and no secret", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const key = server.firstRun?.key ?? "";
  type Asked = { method?: string; headers?: Record<string, string>; body?: string };
  const ask = (path: string, id: string, init: Asked = {}) =>
    fetch(server.url + path, { ...init, headers: { "x-api-key": key, "x-request-id": id, ...init.headers } });
  const json = { "content-type": "application/json" };
  const made = await ask("/api/v2/keys", "made", {
    method: "POST",
    headers: { ...json, "idempotency-key": "one" },
    body: JSON.stringify({ name: "robot", permissions: ["leads:read"] }),
  });
  const { data } = (await made.json()) as { data: { key: string; id: string } };
  await ask("/api/v2/leads/0198", "absent");
  await ask("/api/v2/leads", "refused", { method: "POST", headers: json, body: '{"email": 5}' });
  await ask("/api/v2/leads", "stranger", { headers: { "x-api-key": `${data.key}x` } });
  await ask("/healthz", "probe");
  await ask("/nothing?key=hidden", "nowhere");
  await ask(`/api/v2/leads/${data.key}`, "careless");
  const encoded = Array.from(data.key, (character) => `%${character.charCodeAt(0).toString(16)}`).join("");
  await ask(`/api/v2/leads/${encoded}?q=${data.key}`, data.key, { headers: { "user-agent": `tool ${data.key}` } });
  await ask(`/api/v2/keys/${data.id}`, "renamed", {
    method: "PUT",
    headers: { ...json, "user-agent": `tool ${data.key}` },
    body: JSON.stringify({ name: `robot ${data.key}` }),
  });
  const audit = await (await ask("/api/v2/audit", "audit")).text();
  expect(audit).toContain("key.updated");
  expect(audit).not.toContain(data.key.slice(8));
  const { log } = await server.stop();
  const lines = log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const requests = new Map(lines.filter(({ requestId }) => requestId).map((line) => [line.requestId, line]));
  const owner = { keyId: expect.any(String), userId: expect.any(String), durationMs: expect.any(Number) };
  const nobody = { keyId: null, userId: null, durationMs: expect.any(Number) };
  expect(requests.get("made")).toMatchObject({ ...owner, method: "POST", route: "/api/v2/keys", status: 200 });
  expect(requests.get("absent")).toMatchObject({
    ...owner,
    route: "/api/v2/leads/{leadId}",
    status: 404,
    code: "NOT_FOUND",
  });
  expect(requests.get("refused")).toMatchObject({ ...owner, status: 400, code: "VALIDATION_ERROR" });
  expect(requests.get("stranger")).toMatchObject({ ...nobody, route: "/api/v2/leads", status: 401 });
  // Machines ask every few seconds: at level debug.
  expect(requests.has("probe")).toBe(false);
  expect(requests.get("nowhere")).toMatchObject({ ...nobody, route: null, path: "/nothing", status: 404 });
  expect(requests.get("careless")).toMatchObject({ ...owner, path: `/api/v2/leads/${data.key.slice(0, 8)}…` });
  for (const id of ["made", "absent", "refused", "stranger", "nowhere"])
    expect(lines.filter(({ requestId }) => requestId === id)).toHaveLength(1);
  for (const secret of [key, data.key, encoded, key.slice(12), data.key.slice(12), "hidden"])
    expect(log).not.toContain(secret);
}, 30_000);

/** Where a client can put text that a server may write down. */
const headers =
  "accept accept-language authorization-info cookie forwarded from idempotency-key if-match if-none-match last-event-id " +
  "origin prefer referer sec-fetch-site traceparent tracestate user-agent via x-correlation-id x-forwarded-for " +
  "x-forwarded-host x-forwarded-proto x-outreachd-page x-real-ip x-request-id";

test("a request that breaks off is no failure of the server", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const { hostname, port } = new URL(server.url);
  const head = [
    ...["POST /api/v2/leads HTTP/1.1", `Host: ${hostname}`, `x-api-key: ${server.firstRun?.key}`],
    ...["x-request-id: broken", "content-type: application/json", "content-length: 100", "", "{"],
  ];
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data: () => {} } });
  socket.write(head.join("\r\n"));
  // The server has to see the beginning; whatever comes on another connection is read later.
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  socket.terminate();
  const metric = 'outreachd_http_requests_total{method="POST",route="/api/v2/leads",status="499"} 1';
  await eventually("the request to end", async () => {
    const headers = { "x-api-key": server.firstRun?.key ?? "" };
    return (await (await fetch(`${server.url}/metrics`, { headers })).text()).includes(metric) || null;
  });
  const { log } = await server.stop();
  const line = log.split("\n").find((each) => each.includes('"requestId":"broken"'));
  expect(JSON.parse(line ?? "{}")).toMatchObject({ level: "info", status: 499, msg: "the client disconnected" });
});

test("a key is written nowhere, whatever part of a request it came in", async () => {
  await using directory = await createDirectory();
  await using server = await startServer(directory.path);
  const key = server.firstRun?.key ?? "";
  const ask = (path: string, init: RequestInit = {}) => {
    const sent = { "x-api-key": key, "content-type": "application/json", ...(init.headers as Record<string, string>) };
    return fetch(server.url + path, { ...init, headers: sent });
  };
  const make = (headers: Record<string, string> = {}, body: object = { name: "robot", permissions: ["leads:read"] }) =>
    ask("/api/v2/keys", { method: "POST", headers, body: JSON.stringify(body) });
  const { data } = (await (await make()).json()) as { data: { key: string; id: string } };
  const secret = data.key;
  for (const name of headers.split(" ")) await make({ [name]: secret });
  const hex = Array.from(secret, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`).join("");
  for (const text of [secret, secret.toUpperCase(), hex, encodeURIComponent(hex)]) {
    await ask(`/api/v2/keys/${text}?${text}=1&q=${text}`);
    await ask(`/${text}`);
    await ask("/api/v2/leads", { method: "POST", body: JSON.stringify({ [text]: text, email: text }) });
    await ask("/api/v2/leads", { method: "POST", body: `{"${text}` });
    await ask("/api/v2/leads", { method: text.slice(0, 4) });
    await make({}, { name: text, permissions: ["leads:read"] });
    await make({}, { name: "x", permissions: [text] });
    const form = new FormData();
    form.append(text, new File(["x"], `${text}.wav`));
    await fetch(`${server.url}/api/v2/voice-clones/check`, {
      method: "POST",
      headers: { "x-api-key": key },
      body: form,
    });
  }
  const audit = await (await ask("/api/v2/audit?limit=100")).text();
  const metrics = await (await ask("/metrics")).text();
  const { log } = await server.stop();
  expect(audit.split("key.created").length).toBeGreaterThan(25);
  const written = { log, audit, metrics };
  for (const [where, text] of Object.entries(written))
    for (const part of [
      secret.slice(12),
      secret.slice(12).toUpperCase(),
      hex.slice(36),
      encodeURIComponent(hex).slice(60),
    ])
      expect({ where, isFound: text.includes(part) }).toEqual({ where, isFound: false });
}, 60_000);
