import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { wavBytes } from "../../../src/lib/audio/audio.ts";
import { csvHeader, csvRow, person } from "../people.ts";
import type { BenchCase, Measure } from "../report.ts";
import { createHome, memoryOf, startServer, withDirectory, type Server } from "../server.ts";

const users = 4;
const clientsPerUser = 2;
const defaultSeconds = 600;
/** The thread that speaks stays for a minute without work; what else ends when idle ends sooner. */
const idleMs = 75_000;

/**
 * Mixed requests by several users, many of them broken off. What a server needs at its first requests of each kind stays
 * (compiled code, threads, page caches), so a tenth of the run and a pause come first, as a figure to compare with.
 */
export const soak: BenchCase = {
  about: `mixed requests by ${users} users for ten minutes (--seconds N: for N), then a pause: what stays open or in memory`,
  isLong: true,
  run: ({ seconds }) => withDirectory((directory) => measure(directory, (seconds ?? defaultSeconds) * 1000)),
};

type Footprint = { residentMB: number; descriptors: number };

async function measure(directory: string, durationMs: number): Promise<Measure[]> {
  const home = await createHome(join(directory, "home"));
  const server = await startServer(home);
  try {
    const keys = await Promise.all(Array.from({ length: users }, (_, n) => keyOfNewUser(server, home.key, n)));
    const start = await footprint(server);
    await mixedRequests(server, keys, durationMs / 10, 1);
    await Bun.sleep(idleMs);
    const warm = await footprint(server);
    const { peak, requests, failed } = await mixedRequests(server, keys, durationMs, 2);
    await Bun.sleep(idleMs);
    const idle = await footprint(server);
    return [
      { name: "requests", value: requests, unit: "count" },
      { name: "responses 5xx", value: failed, unit: "count", goal: { atMost: 0 } },
      { name: "resident memory before", value: start.residentMB, unit: "MB" },
      { name: "resident memory after a tenth of the run, idle", value: warm.residentMB, unit: "MB" },
      { name: "resident memory, peak", value: peak.residentMB, unit: "MB" },
      { name: "resident memory after the run, idle", value: idle.residentMB, unit: "MB" },
      {
        name: "resident memory idle, above that before",
        value: idle.residentMB - start.residentMB,
        unit: "MB",
        goal: { atMost: 150 },
      },
      {
        name: "resident memory idle, after the run to after a tenth",
        value: idle.residentMB / warm.residentMB,
        unit: "ratio",
      },
      { name: "descriptors before", value: start.descriptors, unit: "count" },
      { name: "descriptors, peak", value: peak.descriptors, unit: "count" },
      { name: "descriptors after a tenth of the run, idle", value: warm.descriptors, unit: "count" },
      { name: "descriptors after the run, idle", value: idle.descriptors, unit: "count" },
      {
        name: "descriptors idle, to those before",
        value: idle.descriptors / start.descriptors,
        unit: "ratio",
        goal: { atMost: 1.2 },
      },
    ];
  } finally {
    await server.stop();
  }
}

async function footprint({ pid }: Server): Promise<Footprint> {
  const [{ resident }, open] = await Promise.all([memoryOf(pid), readdir(`/proc/${pid}/fd`)]);
  return { residentMB: resident / 1e6, descriptors: open.length };
}

async function keyOfNewUser(server: Server, adminKey: string, n: number): Promise<string> {
  const made = async (path: string, body: object): Promise<{ id: string; key: string }> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v2${path}`, {
      method: "POST",
      headers: { "x-api-key": adminKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { data, message } = (await response.json()) as { data?: { id: string; key: string }; message?: string };
    if (data === undefined) throw new Error(`POST ${path} was refused: ${message}`);
    return data;
  };
  const { id: userId } = await made("/users", { email: `soak.${n}@example.com` });
  return (await made("/keys", { name: "soak", permissions, userId })).key;
}

const permissions = [
  ...["leads:read", "leads:write", "leads:enrich", "prospecting:search", "voice:read", "voice:create"],
  ...["users:read", "jobs:read", "network:read", "events:read"],
];

/** Serves as the seed too, so that the second run sends other people than the first. */
async function mixedRequests(server: Server, keys: readonly string[], durationMs: number, seed: number) {
  const endAt = performance.now() + durationMs;
  const peak: Footprint = { residentMB: 0, descriptors: 0 };
  const totals = { requests: 0, failed: 0 };
  async function watch(): Promise<void> {
    while (performance.now() < endAt) {
      const { residentMB, descriptors } = await footprint(server);
      peak.residentMB = Math.max(peak.residentMB, residentMB);
      peak.descriptors = Math.max(peak.descriptors, descriptors);
      await Bun.sleep(100);
    }
  }
  async function client(key: string, first: number): Promise<void> {
    for (let n = first; performance.now() < endAt; n += 1) {
      const isRare = n % rareEvery === 0;
      const list = isRare ? rare : common;
      const status = await list[Math.floor(n / (isRare ? rareEvery : 1)) % list.length]!({ server, key, seed, n });
      totals.requests += 1;
      if (status >= 500) totals.failed += 1;
    }
  }
  const clients = keys.flatMap((key, user) =>
    Array.from({ length: clientsPerUser }, (_, n) => client(key, (user * clientsPerUser + n) * 1_000_003)),
  );
  await Promise.all([watch(), ...clients]);
  return { peak, ...totals };
}

type Request = { server: Server; key: string; seed: number; n: number };
/** The status of the response; 0 when the client broke off. */
type Sender = (request: Request) => Promise<number>;

async function send(
  { server, key }: Request,
  method: string,
  path: string,
  body?: BodyInit | object,
  type = "application/json",
): Promise<number> {
  const isReady = body === undefined || typeof body === "string" || body instanceof FormData;
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v2${path}`, {
    method,
    headers: { "x-api-key": key, ...(body !== undefined && !(body instanceof FormData) && { "content-type": type }) },
    ...(body !== undefined && { body: isReady ? (body as BodyInit) : JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

const common: Sender[] = [
  (request) => send(request, "POST", "/leads", person(request.seed, request.n)),
  (request) => send(request, "GET", "/leads?limit=50"),
  (request) => send(request, "GET", `/leads?search=${person(request.seed, request.n).lastName}&limit=10`),
  (request) => send(request, "POST", "/prospecting/search", { filters: {}, limit: 5 }),
  (request) => send(request, "POST", "/enrich", { leads: [person(request.seed, request.n)] }),
  (request) => send(request, "GET", "/users/jobs/history"),
  (request) => send(request, "GET", "/network/actions?limit=20"),
  (request) => send(request, "GET", "/voice-clones"),
  (request) => send(request, "GET", "/leads/unknown"),
  (request) => send(request, "POST", "/leads", "{broken"),
];

/** Each takes a thread, a file or a connection of its own. */
const rareEvery = 40;
const rare: Sender[] = [
  (request) => send(request, "POST", "/leads/import", csvOf(request, 300), "text/csv"),
  (request) => send(request, "GET", "/leads/export?limit=2000"),
  (request) => send(request, "POST", "/voice-clones/check", recording(request.n)),
  (request) => brokenOff(request, "POST /api/v2/voice-clones/check", "multipart/form-data; boundary=b", formHead),
  (request) => brokenOff(request, "POST /api/v2/leads/import", "text/csv", csvHeader),
  (request) => brokenOff(request, "GET /api/v2/events/stream", null, ""),
  (request) => brokenOff(request, "GET /api/v2/leads/export", null, ""),
];

function csvOf({ seed, n }: Request, rows: number): string {
  return csvHeader + Array.from({ length: rows }, (_, row) => csvRow(seed + 10, n * rows + row)).join("");
}

function recording(n: number): FormData {
  const form = new FormData();
  const sound = Float32Array.from({ length: 16_000 }, (_, i) => Math.sin((i * (100 + (n % 50))) / 2500) / 3);
  form.append("files", new File([wavBytes(sound, 16_000) as Uint8Array<ArrayBuffer>], "a.wav"));
  return form;
}

const formHead = `--b\r\ncontent-disposition: form-data; name="files"; filename="a.wav"\r\n\r\nRIFF`;

/** Sends the beginning of a request, or reads the beginning of a response, and is gone. */
function brokenOff({ server, key }: Request, line: string, type: string | null, begin: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const length = type === null ? "" : `content-type: ${type}\r\ncontent-length: 1000000\r\n`;
  const socket = connect(server.port, "127.0.0.1", () => {
    socket.write(`${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n${length}\r\n${begin}`);
  });
  socket.on("data", () => socket.destroy());
  socket.on("error", () => {});
  socket.on("close", () => resolve(0));
  if (type !== null) setTimeout(() => socket.destroy(), 50);
  return promise;
}
