import { join } from "node:path";
import { load } from "../load.ts";
import type { BenchCase } from "../report.ts";
import { createHome, memoryOf, startServer, withDirectory, type Home, type Server } from "../server.ts";
import { startStreamClients } from "../stream-clients.ts";
import { addEvents } from "../webhook-rows.ts";

const clients = 100;
const stalled = 5;
/** About 60 MB as they go over the line: far more than sockets take, for each of those that are stalled. */
const oldEvents = 200_000;

/** What clients of the live stream that never read cost the server, and those that do. */
export const stream: BenchCase = {
  about: `${clients} clients of the live stream, ${stalled} of them stalled with ${oldEvents} events before them`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  addEvents(home, oldEvents);
  const server = await startServer(home);
  try {
    const calm = await follow(server, home, clients, 0);
    const beset = await follow(server, home, clients - stalled, stalled);
    return [
      { name: "lateness, p99, with stalled clients", value: beset.p99, unit: "ms" as const, goal: { atMost: 250 } },
      { name: "lateness, p99, without", value: calm.p99, unit: "ms" as const },
      { name: "lateness, median, with", value: beset.median, unit: "ms" as const },
      { name: "events told to one client", value: beset.events / (clients - stalled), unit: "count" as const },
      { name: "leads stored", value: beset.leads, unit: "count" as const },
      {
        name: "memory that the stalled cost",
        value: (beset.anonymous - calm.anonymous) / 1e6,
        unit: "MB" as const,
        goal: { atMost: 30 },
      },
      { name: "resident memory at the end", value: beset.resident / 1e6, unit: "MB" as const },
    ];
  } finally {
    await server.stop();
  }
}

async function follow(server: Server, home: Home, reading: number, stalledClients: number) {
  const group = startStreamClients(server.port, home.key, reading, stalledClients);
  await group.ready;
  const { requests } = await load({
    port: server.port,
    method: "POST",
    path: "/api/v2/leads",
    headers: { "x-api-key": home.key },
    body: "lead",
    firstSerial: stalledClients * 1_000_000,
    connections: 4,
    pauseMs: 25,
    warmUpMs: 0,
    durationMs: 10_000,
  });
  await Bun.sleep(500);
  const memory = await memoryOf(server.pid);
  const late = await group.stop();
  const at = (share: number): number => late[Math.floor(late.length * share)] ?? Number.POSITIVE_INFINITY;
  return { ...memory, p99: at(0.99), median: at(0.5), events: late.length, leads: requests };
}
