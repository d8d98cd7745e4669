import { join } from "node:path";
import { createApi } from "../api.ts";
import { load, type LoadResult } from "../load.ts";
import { median, type BenchCase } from "../report.ts";
import { copyHome, createHome, startServer, withDirectory } from "../server.ts";
import { addBacklog } from "../webhook-rows.ts";
import { startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";

const rounds = 7;
const starts = 3;
const endpoints = 10_000;
/** The load waits between its requests, so that both sides get the same: about 1,200 leads a second. */
const clients = { connections: 24, pauseMs: 16 };
const env = { OUTREACHD_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" };

/** What webhooks cost those who store leads, and what a long queue costs a start. */
export const webhooks: BenchCase = {
  about: `each lead told to a loopback receiver; ${endpoints} endpoints with a backlog at the start`,
  run: () =>
    withDirectory(async (directory) => {
      const receiver = await startReceiver();
      try {
        return [...(await deliver(directory, receiver)), ...(await begin(directory, receiver))];
      } finally {
        await receiver.stop();
      }
    }),
};

async function deliver(directory: string, receiver: WebhookReceiver) {
  const home = await createHome(join(directory, "home"));
  const server = await startServer(home, env);
  const seen: Record<"without" | "with", LoadResult[]> = { without: [], with: [] };
  const delivered: number[] = [];
  const lagMs: number[] = [];
  try {
    const api = createApi(server.port, home.key);
    const { id } = await api.post<{ id: string }>("/webhooks", { url: receiver.url, events: ["lead.created"] });
    let serial = 0;
    for (let round = 0; round < rounds; round++)
      for (const side of ["without", "with"] as const) {
        await api.send("PATCH", `/webhooks/${id}`, { isEnabled: side === "with" });
        const before = await receiver.count();
        const result = await load({
          port: server.port,
          method: "POST",
          path: "/api/v2/leads",
          headers: { "x-api-key": home.key },
          body: "lead",
          firstSerial: (serial += 1_000_000),
          ...clients,
          warmUpMs: 1500,
          durationMs: 5000,
          listsAcknowledged: true,
        });
        seen[side].push(result);
        if (side === "without") continue;
        const endedAt = performance.now();
        delivered.push(((await receiver.count()) - before) / 6.5);
        while ((await receiver.count()) - before < result.acknowledged.length) await Bun.sleep(5);
        lagMs.push(performance.now() - endedAt);
      }
  } finally {
    await server.stop();
  }
  const p99 = (side: keyof typeof seen) => median(seen[side].map((result) => result.p99Ms));
  const ratio = median(seen.with.map((result, round) => result.p99Ms / (seen.without[round]?.p99Ms ?? 0)));
  return [
    { name: "POST /leads, p99 with : without webhooks", value: ratio, unit: "ratio" as const, goal: { atMost: 1.5 } },
    { name: "deliveries during the load", value: median(delivered), unit: "/s" as const, goal: { atLeast: 1000 } },
    { name: "POST /leads, p99 without", value: p99("without"), unit: "ms" as const },
    { name: "POST /leads, p99 with", value: p99("with"), unit: "ms" as const },
    { name: "leads a second, with", value: median(seen.with.map((each) => each.perSecond)), unit: "/s" as const },
    { name: "the last delivery after the last lead", value: median(lagMs), unit: "ms" as const },
  ];
}

async function begin(directory: string, receiver: WebhookReceiver) {
  const plain = await createHome(join(directory, "plain"));
  const full = await copyHome(plain, join(directory, "full"));
  addBacklog(full, receiver.url, endpoints, 1);
  const readyMs: Record<"plain" | "full", number[]> = { plain: [], full: [] };
  let drained = 0;
  for (let round = 0; round < starts; round++)
    for (const [side, home] of [
      ["plain", plain],
      ["full", full],
    ] as const) {
      const server = await startServer(await copyHome(home, join(directory, `${side}-${round}`)), env);
      readyMs[side].push(server.readyMs);
      if (side === "full" && round === starts - 1) {
        const before = await receiver.count();
        const startedAt = performance.now();
        while ((await receiver.count()) - before < endpoints / 2) await Bun.sleep(10);
        drained = endpoints / 2 / ((performance.now() - startedAt) / 1000);
      }
      await server.stop();
    }
  const ratio = median(readyMs.full) / median(readyMs.plain);
  return [
    { name: "start with : without the backlog", value: ratio, unit: "ratio" as const, goal: { atMost: 1.25 } },
    { name: "start with the backlog", value: median(readyMs.full), unit: "ms" as const },
    { name: "the backlog goes, an endpoint after the other", value: drained, unit: "/s" as const },
  ];
}
