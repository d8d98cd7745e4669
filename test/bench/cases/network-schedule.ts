import { join } from "node:path";
import { load, type LoadResult } from "../load.ts";
import { plannedVisits, queueActions } from "../network-rows.ts";
import { median, type BenchCase } from "../report.ts";
import { copyHome, createHome, startServer, withDirectory, type Home } from "../server.ts";

const queued = 100_000;
const rounds = 3;

/** Putting an action into a long queue, slot and all, against storing a lead. */
export const networkSchedule: BenchCase = {
  about: `POST scheduleNetworkAction with ${queued.toLocaleString("en-US")} actions queued for the same account, 64 connections`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  const slots = plannedVisits(home, queued);
  queueActions(home, queued, (n) => slots[n] ?? 0);
  const seen: Record<"schedule" | "leads", LoadResult[]> = { schedule: [], leads: [] };
  for (let round = 0; round < rounds; round++) {
    seen.schedule.push(await run(await copyHome(home, join(directory, `schedule-${round}`)), "action"));
    seen.leads.push(await run(await copyHome(home, join(directory, `leads-${round}`)), "lead"));
  }
  const of = (side: keyof typeof seen, field: "perSecond" | "p50Ms" | "p99Ms"): number =>
    median(seen[side].map((result) => result[field]));
  const ratios = seen.schedule.map((result, round) => result.perSecond / (seen.leads[round]?.perSecond ?? 0));
  return [
    { name: "scheduling : POST leads", value: median(ratios), unit: "ratio" as const, goal: { atLeast: 0.5 } },
    { name: "scheduling", value: of("schedule", "perSecond"), unit: "/s" as const },
    { name: "scheduling, p50", value: of("schedule", "p50Ms"), unit: "ms" as const },
    { name: "scheduling, p99", value: of("schedule", "p99Ms"), unit: "ms" as const },
    { name: "POST leads", value: of("leads", "perSecond"), unit: "/s" as const },
  ];
}

async function run(home: Home, body: "action" | "lead"): Promise<LoadResult> {
  const server = await startServer(home);
  try {
    return await load({
      port: server.port,
      method: "POST",
      path: body === "lead" ? "/api/v2/leads" : "/api/v2/network/scheduleNetworkAction",
      headers: { "x-api-key": home.key },
      body,
      connections: 64,
      warmUpMs: 1500,
      durationMs: 4000,
    });
  } finally {
    await server.stop();
  }
}
