import type { Storage } from "../../../src/adapters/storage/storage.ts";
import { openPostgresStorage } from "../../../src/adapters/storage/postgres/postgres-storage.ts";
import { openSqliteStorage } from "../../../src/adapters/storage/sqlite/sqlite-storage.ts";
import { systemClock } from "../../../src/platform/base/clock.ts";
import { dayMs } from "../../../src/features/campaigns/funnel-marks.ts";
import { untouched, type Campaign, type CampaignStep, type Enrollment } from "../../../src/features/campaigns/model.ts";
import type { Trail } from "../../../src/features/campaigns/trail.ts";
import { LeadApi } from "../lead-jobs.ts";
import { withPostgres } from "../postgres.ts";
import { median, type BenchCase, type Measure } from "../report.ts";
import { createHome, databasePath, startServer, withDirectory, type Home } from "../server.ts";

const leads = 100_000;
const rounds = 200;
const goal = { atMost: 50 };
const accounts = 5;
/** Over which the campaign has run. */
const days = 120;

const text = (name: string) => ({ name, weight: 1, message: `Hello from ${name}` });
const message: CampaignStep = { type: "action", actionType: "sendMessage", variants: ["A", "B", "C"].map(text) };
const steps: CampaignStep[] = [
  { type: "action", actionType: "visitProfile" },
  { type: "wait", days: 1 },
  { type: "action", actionType: "sendConnectionRequest" },
  {
    type: "branch",
    condition: "connected",
    withinDays: 14,
    yes: [message, { type: "wait", days: 3 }, message],
    no: [],
  },
];

export const funnel: BenchCase = {
  about: `results of a campaign with ${leads.toLocaleString("en-US")} enrollments over ${days} days, ${accounts} accounts, and 3 variants`,
  run: () =>
    withDirectory(async (directory) => {
      const home = await createHome(directory);
      return measure(home, {}, async () => openSqliteStorage(databasePath(home), systemClock));
    }),
};

export const postgresFunnel: BenchCase = {
  about: `PostgreSQL: ${funnel.about}`,
  run: () => withPostgres((home) => measure(home, home.settings, () => openPostgresStorage(home.url, systemClock))),
};

async function measure(home: Home, settings: Record<string, string>, open: () => Promise<Storage>): Promise<Measure[]> {
  const id = await prepare(home, settings, open);
  const server = await startServer(home, settings);
  try {
    const api = new LeadApi(server, home);
    const { leads: counted } = await api.get<{ leads: number }>(`/campaigns/${id}/funnel`);
    if (counted !== leads) throw new Error(`Expected ${leads} leads in the funnel, got ${counted}`);
    const measures: Measure[] = [];
    for (const [name, path] of Object.entries(requestsOf(id))) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now();
        await api.get(`/campaigns/${path}`);
        times.push(performance.now() - startedAt);
      }
      times.sort((a, b) => a - b);
      measures.push({ name: `${name}, p50`, value: median(times), unit: "ms" });
      for (const percent of [95, 99])
        measures.push({ name: `${name}, p${percent}`, value: times[(rounds * percent) / 100]!, unit: "ms", goal });
    }
    return measures;
  } finally {
    await server.stop();
  }
}

function requestsOf(id: string): Record<string, string> {
  return {
    funnel: `${id}/funnel`,
    "funnel of a period": `${id}/funnel?from=2020-01-01&to=2099-01-01`,
    series: `${id}/series`,
    "series by step": `${id}/series?by=step`,
    "series by variant": `${id}/series?by=variant`,
    "series by account": `${id}/series?by=account`,
    "series by branch of a period": `${id}/series?by=branch&from=2020-01-01&to=2099-01-01`,
    compare: `compare?ids=${id}`,
  };
}

/** Stores a campaign whose leads have come differently far. */
async function prepare(home: Home, settings: Record<string, string>, open: () => Promise<Storage>): Promise<string> {
  const server = await startServer(home, settings);
  const api = new LeadApi(server, home);
  await api.fill(leads);
  await server.stop();
  const storage = await open();
  try {
    const [workspace] = await storage.workspaces.list(1, null);
    const workspaceId = workspace!.id;
    const campaign = campaignOf(workspaceId);
    await storage.campaigns.insert(campaign);
    const sort = { field: "createdAt", descending: false } as const;
    let n = 0;
    for (let after = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const page = await storage.leads.page({ workspaceId, filter: {}, sort, limit: 500, offset: 0, after });
      const enrollments = page.leads.map((lead) => enrollmentOf(campaign, lead.id, n++));
      await storage.campaigns.enroll(enrollments, false, Date.now());
      after = page.next;
    }
    await storage.maintain();
    return campaign.id;
  } finally {
    await storage.close();
  }
}

function campaignOf(workspaceId: string): Campaign {
  const settings = { stopOnReply: true, excludeOtherCampaigns: false, excludeContactedDays: null, allowOverlap: false };
  const at = Date.now();
  return {
    ...{ id: crypto.randomUUID(), workspaceId, name: "Spring", state: "paused", steps, accountIds: [], settings },
    ...{ winners: {}, version: 1, firstStep: 0, startedAt: at, createdAt: at, updatedAt: at },
  };
}

/** Independent choices for each lead: with `n % 5` and `n % 120`, most combinations of account and day would not occur. */
function chooser(n: number): (choices: number) => number {
  let choice = 0;
  return (choices) => Bun.hash.xxHash32(`${n} ${choice++}`) % choices;
}

function enrollmentOf({ id: campaignId, workspaceId }: Campaign, leadId: string, n: number): Enrollment {
  const choose = chooser(n);
  const at = Date.now() - choose(days) * dayMs;
  const path: Trail = [
    ...[[0, at, "done"] as const, [1, at + dayMs, "waited"] as const, [2, at + dayMs, "invited"] as const],
    ...[[3, at + 3 * dayMs, "yes"] as const, [4, at + 3 * dayMs, "messaged"] as const],
    ...[[5, at + 6 * dayMs, "waited"] as const, [6, at + 6 * dayMs, "messaged"] as const],
  ];
  const trail = path.slice(0, choose(8));
  const names = ["A", "B", "C"];
  const isCompleted = trail.length === path.length;
  return {
    ...{ id: crypto.randomUUID(), campaignId, workspaceId, leadId, accountId: `account-${choose(accounts)}` },
    ...{ profileKey: `https://network.example/in/${n}`, state: isCompleted ? "completed" : "active", reason: null },
    ...{ atStep: trail.length, sinceAt: at, wakeAt: null, jobId: null, ...untouched, trail },
    connectedAt: trail.length > 3 ? at + 2 * dayMs : null,
    repliedAt: trail.length > 4 && choose(3) === 0 ? at + 5 * dayMs : null,
    variants: { 4: names[choose(3)]!, 6: names[choose(3)]! },
    ...{ version: 1, createdAt: at, updatedAt: at },
  };
}
