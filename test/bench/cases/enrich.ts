import { join } from "node:path";
import { seeded } from "../../support/random.ts";
import { openDatabase } from "../../../src/adapters/storage/sqlite/open.ts";
import { createApi } from "../api.ts";
import { person } from "../people.ts";
import { median, type BenchCase } from "../report.ts";
import { createHome, databasePath, fillWithLeads, startServer, withDirectory, type Home } from "../server.ts";

const directorySize = 1_000_000;
const leadsEach = 50;
const requests = 200;
const warmUp = 20;

/** Fifty leads in one request, of whom most are known, over a large list of one's own. */
export const enrich: BenchCase = {
  about: `POST /api/v2/enrich of ${leadsEach} leads by the local provider over ${directorySize.toLocaleString("en-US")} people`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  await fillWithLeads(home, 1, directorySize);
  sortKeys(home);
  const server = await startServer(home);
  try {
    const api = createApi(server.port, home.key);
    const { id: userId } = await api.get<{ id: string }>("/users/me");
    await api.post(`/users/${userId}/credits`, { amount: 1_000_000 });
    const whileLearning = await run(api, 1, requests / 4);
    const learnedSeconds = await untilLearned(home);
    const fresh = await run(api, 2, requests);
    const repeated = await run(api, 2, requests);
    return [
      { name: "p50", value: median(fresh.times), unit: "ms" as const, goal: { atMost: 50 } },
      { name: "p99", value: percentile(fresh.times, 0.99), unit: "ms" as const },
      {
        name: "leads that something was found for",
        value: fresh.enriched / (requests * leadsEach),
        unit: "ratio" as const,
      },
      { name: "the same requests again, p50", value: median(repeated.times), unit: "ms" as const },
      { name: "credits for them", value: repeated.credits, unit: "count" as const, goal: { atMost: 0 } },
      { name: "while addresses are learned, p50", value: median(whileLearning.times), unit: "ms" as const },
      { name: "learning all of them, seconds", value: learnedSeconds, unit: "count" as const },
    ];
  } finally {
    await server.stop();
  }
}

async function run(api: ReturnType<typeof createApi>, seed: number, count: number) {
  const random = seeded(seed);
  const times: number[] = [];
  let enriched = 0;
  let credits = 0;
  for (let n = -warmUp; n < count; n++) {
    const leads = Array.from({ length: leadsEach }, () => leadOf(random));
    const startedAt = performance.now();
    const answer = await api.post<{ enriched: unknown[]; creditsUsed: number }>("/enrich", { leads });
    if (n < 0) continue;
    times.push(performance.now() - startedAt);
    enriched += answer.enriched.length;
    credits += answer.creditsUsed;
  }
  return { times, enriched, credits };
}

/** Somebody of the directory by one identifier or the other, or, one in ten, somebody whom it does not have. */
function leadOf(random: () => number): object {
  const known = person(1, Math.floor(random() * directorySize));
  const kind = random();
  if (kind < 0.1) return { email: `stranger.${Math.floor(random() * 1e9)}@unknown.example` };
  if (kind < 0.5) return { email: known.email };
  if (kind < 0.7) return { networkUrl: known.networkUrl };
  if (kind < 0.9) return { firstName: known.firstName, lastName: known.lastName, company: known.company };
  return { firstName: "Newly", lastName: "Hired", company: known.company };
}

/** Moves what leads are found by into the sorted table, as the server does in the course of an import. */
function sortKeys(home: Home): void {
  const database = openDatabase(databasePath(home));
  const pairs: [number, number][] = [];
  for (const [blob] of database.query("SELECT entries FROM lead_keys_log").values() as [Uint8Array][]) {
    const entries = new Float64Array(blob.slice().buffer);
    for (let at = 0; at < entries.length; at += 2) pairs.push([entries[at] ?? 0, entries[at + 1] ?? 0]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  const insert = database.prepare("INSERT OR IGNORE INTO lead_keys (key, lead) VALUES (?, ?)");
  database.transaction(() => {
    for (const [key, lead] of pairs) insert.run(key, lead);
    database.run("DELETE FROM lead_keys_log");
  })();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close(true);
}

/** Waits until the server has gone through all leads for domains and companies. */
async function untilLearned(home: Home): Promise<number> {
  const startedAt = performance.now();
  const database = openDatabase(databasePath(home));
  const done = database.prepare<{ lead: number }, []>("SELECT coalesce(max(lead), 0) AS lead FROM lead_hints_done");
  while ((done.get()?.lead ?? 0) < directorySize) await Bun.sleep(200);
  database.close();
  return (performance.now() - startedAt) / 1000;
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
