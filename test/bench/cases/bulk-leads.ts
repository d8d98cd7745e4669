import { LeadApi } from "../lead-jobs.ts";
import { load } from "../load.ts";
import { withPostgres } from "../postgres.ts";
import type { BenchCase, Measure } from "../report.ts";
import { createHome, startServer, withDirectory, type Home } from "../server.ts";

const leads = 100_000;
const changes: Record<string, object> = {
  "adding a tag": { addTags: ["bulk"] },
  "status and member": { status: "contacted", assignedTo: "roundRobin" },
  deleting: { delete: true, expectedCount: leads },
};

/** A change of every lead of a workspace must be over while somebody looks on, and must not be felt by others. */
export const bulkLeads: BenchCase = {
  about: `POST /api/v2/leads/bulk over ${leads.toLocaleString("en-US")} leads, lists read meanwhile`,
  run: () => withDirectory(async (directory) => measure(await createHome(directory), {})),
};

export const postgresBulkLeads: BenchCase = {
  about: `PostgreSQL: ${bulkLeads.about}`,
  run: () => withPostgres((home) => measure(home, home.settings)),
};

async function measure(home: Home, settings: Record<string, string>): Promise<Measure[]> {
  const server = await startServer(home, settings);
  try {
    const api = new LeadApi(server, home);
    await api.fill(leads);
    const measures: Measure[] = [];
    for (const [name, change] of Object.entries(changes)) {
      const startedAt = performance.now();
      const changing = api.run("/leads/bulk", JSON.stringify({ filter: {}, ...change }));
      const lists = load({ ...listsOf(server.port, home.key), durationMs: 600_000 }, { until: changing });
      const { metadata } = await changing;
      const ms = performance.now() - startedAt;
      if (metadata["changed"] !== leads) throw new Error(`Expected ${leads} changes: ${JSON.stringify(metadata)}`);
      measures.push({ name, value: ms, unit: "ms", goal: { atMost: 10_000 } });
      measures.push({ name: `${name}: lists meanwhile, p99`, value: (await lists).p99Ms, unit: "ms" });
    }
    return measures;
  } finally {
    await server.stop();
  }
}

function listsOf(port: number, key: string) {
  const request = { method: "GET", path: "/api/v2/leads?limit=50", headers: { "x-api-key": key } } as const;
  return { port, ...request, connections: 4, pauseMs: 20, warmUpMs: 500 };
}
