import { LeadApi } from "../lead-jobs.ts";
import { withPostgres } from "../postgres.ts";
import { median, type BenchCase, type Measure } from "../report.ts";
import { createHome, startServer, withDirectory, type Home } from "../server.ts";

const leads = 100_000;
const rounds = 5;
const goal = { atMost: 300 };

const filters = [
  "q=lovelace",
  "q=nothing+like+it",
  "companyContains=granite",
  "companyContains=nothing",
  "titleContains=sales&locationContains=berlin",
  "industryContains=software&sort=company",
  "locationContains=s%C3%A3o",
  "sourceContains=fair&hasEmail=true",
  "tags=partner&tags=trial&tagMatch=any",
  "tags=partner&status=new",
  "customField=size:50",
  "relation=connected",
  "relation=none",
  "inCampaign=false",
  "hasPhone=false",
  "assignedTo=none",
  "status=new,contacted&sort=lastName",
  "createdAfter=2026-01-01&updatedBefore=2099-01-01",
];
const values = ["company", "title", "industry", "location", "source", "tag", "list", "customField"].flatMap((field) => [
  `field=${field}`,
  `field=${field}&contains=an`,
]);

/** What a person waits for while typing. */
export const leadFilters: BenchCase = {
  about: `GET /api/v2/leads and /leads/values over ${leads.toLocaleString("en-US")} leads, each filter alone`,
  run: () => withDirectory(async (directory) => measure(await createHome(directory), {})),
};

export const postgresLeadFilters: BenchCase = {
  about: `PostgreSQL: ${leadFilters.about}`,
  run: () => withPostgres((home) => measure(home, home.settings)),
};

async function measure(home: Home, settings: Record<string, string>): Promise<Measure[]> {
  const server = await startServer(home, settings);
  try {
    const api = new LeadApi(server, home);
    await api.fill(leads);
    const measures: Measure[] = [];
    for (const path of [
      ...filters.map((query) => `/leads?${query}`),
      ...values.map((query) => `/leads/values?${query}`),
    ]) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now();
        await api.get(path);
        times.push(performance.now() - startedAt);
      }
      measures.push({ name: decodeURIComponent(path), value: median(times), unit: "ms", goal });
    }
    return measures;
  } finally {
    await server.stop();
  }
}
