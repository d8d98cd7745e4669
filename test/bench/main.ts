import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { backup, restore } from "./cases/backup.ts";
import { copy } from "./cases/copy.ts";
import { durability } from "./cases/durability.ts";
import { enrich } from "./cases/enrich.ts";
import { chaos } from "./cases/chaos.ts";
import { creditRace } from "./cases/credit-race.ts";
import { idempotency } from "./cases/idempotency.ts";
import { bulkLeads, postgresBulkLeads } from "./cases/bulk-leads.ts";
import { leadFilters, postgresLeadFilters } from "./cases/lead-filters.ts";
import { inbox, postgresInbox } from "./cases/inbox.ts";
import { funnel, postgresFunnel } from "./cases/funnel.ts";
import { firstContent } from "./cases/first-content.ts";
import { importLeads } from "./cases/import-leads.ts";
import { listLeads } from "./cases/list-leads.ts";
import { metrics } from "./cases/metrics.ts";
import { migrateTeams } from "./cases/migrate-teams.ts";
import { networkDrain } from "./cases/network-drain.ts";
import { networkKill } from "./cases/network-kill.ts";
import { networkLimited } from "./cases/network-limited.ts";
import { networkLateness } from "./cases/network-lateness.ts";
import { networkQueue } from "./cases/network-queue.ts";
import { networkSchedule } from "./cases/network-schedule.ts";
import { postgresClaims } from "./cases/postgres-claims.ts";
import { postgresBackup } from "./cases/postgres-backup.ts";
import { postgresLeads } from "./cases/postgres-leads.ts";
import { postLeads } from "./cases/post-leads.ts";
import { repeatedPerson } from "./cases/repeated-person.ts";
import { requestLog } from "./cases/request-log.ts";
import { postgresProspects, prospects, prospectsImport, prospectsLarge } from "./cases/prospects.ts";
import { soak } from "./cases/soak.ts";
import { start } from "./cases/start.ts";
import { stream } from "./cases/stream.ts";
import { voiceClones } from "./cases/voice-clones.ts";
import { voice } from "./cases/voice.ts";
import { webhooks } from "./cases/webhooks.ts";
import { describeMachine } from "./machine.ts";
import { isMet, printCase, printMachine, type BenchCase, type CaseReport } from "./report.ts";

/**
 * `bun run bench [name …] [--json] [--keep DIRECTORY] [--seconds N]` measures the server against a bare handler on the same machine in the same run.
 * Ratios hold from one machine to the next, absolute numbers do not. Exit code 1: a goal was missed.
 */
const cases: Record<string, BenchCase> = {
  "post-leads": postLeads,
  idempotency,
  metrics,
  "repeated-person": repeatedPerson,
  "request-log": requestLog,
  "list-leads": listLeads,
  import: importLeads,
  "lead-filters": leadFilters,
  "postgres-lead-filters": postgresLeadFilters,
  funnel,
  "postgres-funnel": postgresFunnel,
  "bulk-leads": bulkLeads,
  "postgres-bulk-leads": postgresBulkLeads,
  inbox,
  "postgres-inbox": postgresInbox,
  "first-content": firstContent,
  enrich,
  "credit-race": creditRace,
  prospects,
  "prospects-import": prospectsImport,
  "prospects-large": prospectsLarge,
  start,
  durability,
  "migrate-teams": migrateTeams,
  "network-drain": networkDrain,
  "network-limited": networkLimited,
  "network-queue": networkQueue,
  "network-lateness": networkLateness,
  "network-schedule": networkSchedule,
  "network-kill": networkKill,
  webhooks,
  "postgres-backup": postgresBackup,
  "postgres-leads": postgresLeads,
  "postgres-claims": postgresClaims,
  "postgres-prospects": postgresProspects,
  stream,
  voice,
  "voice-clones": voiceClones,
  backup,
  restore,
  copy,
  soak,
  chaos,
};

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, keep: { type: "string" }, seconds: { type: "string" } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(cases, name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. Known: ${Object.keys(cases).join(", ")}.`);
  process.exit(2);
}

const seconds = values.seconds === undefined ? null : Number(values.seconds);
if (seconds !== null && !(seconds > 0)) {
  console.error(`Expected --seconds to be a positive number, got ${values.seconds}.`);
  process.exit(2);
}

const machine = await describeMachine();
if (!values.json) printMachine(machine);
const reports: CaseReport[] = [];
for (const [name, { about, run, isLong }] of Object.entries(cases)) {
  if (positionals.length > 0 ? !positionals.includes(name) : isLong) continue;
  const startedAt = performance.now();
  const measures = await run({ keep: values.keep === undefined ? null : resolve(values.keep), seconds });
  const report = { name, about, seconds: (performance.now() - startedAt) / 1000, measures };
  reports.push(report);
  if (!values.json) printCase(report);
}
if (values.json) console.log(JSON.stringify({ machine, cases: reports }, null, 2));
process.exit(reports.every((report) => report.measures.every(isMet)) ? 0 : 1);
