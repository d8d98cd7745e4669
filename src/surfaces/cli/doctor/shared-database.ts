import { openToCheck, type Backlog, type DatabaseState } from "../../../adapters/storage/postgres/check-database.ts";
import { readServerFacts } from "../../../adapters/storage/postgres/server-facts.ts";
import { shownDatabase, type DatabaseConfig } from "../../../app/config/database-options.ts";
import { requireUsable, startErrorOf } from "../../../app/database.ts";
import type { SharedRuns } from "../../../features/backup/shared-runs.ts";
import { systemClock } from "../../../platform/base/clock.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { ClusterClock } from "../../../platform/cluster/cluster-clock.ts";
import { isGone, type ClusterNode } from "../../../platform/cluster/model.ts";
import { durationText } from "../../../platform/operations/duration-text.ts";
import { countOf, formatBytes } from "../progress.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** A queue that is this far behind does not catch up on its own. */
const lateMs = 15 * 60_000;
/** Nodes number events ten times a second, and a transaction takes 30 seconds at most. */
const unnumberedMs = 60_000;
/** Nodes use the clock of the database, but logs, certificates, and signatures of requests depend on their own. */
const notableSkewMs = 10_000;

export type Examined = {
  findings: Finding[];
  /** URLs of the accounts' webhook connectors. */
  webhooks: string[];
  /** Null if the database cannot be read. */
  backups: { runs: SharedRuns; now: number } | null;
};

/** Changes nothing. */
export async function examineSharedDatabase(config: DatabaseConfig): Promise<Examined> {
  const shown = shownDatabase(config.url);
  try {
    return await examine(config, shown);
  } catch (error) {
    const known = startErrorOf(error, shown);
    const reason = error instanceof Error ? error.message : String(error);
    const found =
      known instanceof StartError
        ? problem("database", known.message, known.hint ?? "Check the option database.")
        : problem("database", `The database ${shown} cannot be read: ${reason}`, "Check its log.");
    return { findings: [found], webhooks: [], backups: null };
  }
}

async function examine({ url, prepare }: DatabaseConfig, shown: string): Promise<Examined> {
  const clock = new ClusterClock(systemClock);
  const facts = await readServerFacts(url, { prepare }, (read) => clock.sample(read));
  requireUsable(facts, shown);
  const findings = [ok("database", `The database ${shown} responds (PostgreSQL ${facts.version}).`)];
  if (facts.refusesSettings && !facts.endsIdleTransactions)
    findings.push(
      warning(
        "database",
        "The connection pooler refuses the timeouts that a node sets for its sessions.",
        "Set them for the database user: ALTER ROLE … SET idle_in_transaction_session_timeout = '10s'; ALTER ROLE … SET statement_timeout = '30s'",
      ),
    );
  findings.push(skewOfThisMachine(clock.systemAheadMs()));
  const database = openToCheck(url, { prepare, hasSettings: !facts.refusesSettings });
  try {
    const migrations = facts.hasTables ? await schemaFinding(database) : noTables(shown);
    // Queries of this version only work with the tables of this version.
    if (migrations.state !== "ok") return { findings: [...findings, migrations], webhooks: [], backups: null };
    const now = clock.now();
    const state = await database.state(now, { jobsBefore: now - lateMs, eventsBefore: now - unnumberedMs });
    const { webhooks, backups: runs } = state;
    return { findings: [...findings, migrations, ...stateFindings(state, now)], webhooks, backups: { runs, now } };
  } finally {
    await database.close();
  }
}

function skewOfThisMachine(aheadMs: number): Finding {
  const offset = `${Math.abs(Math.round(aheadMs))} ms ${aheadMs >= 0 ? "ahead of" : "behind"} the clock of the database`;
  const message = `The clock of this machine is ${offset}.`;
  if (Math.abs(aheadMs) < notableSkewMs) return ok("clock", message);
  return warning("clock", message, "Synchronize both machines with a time server (timedatectl set-ntp true).");
}

function noTables(shown: string): Finding {
  return warning("migrations", `The database ${shown} has no tables yet.`, "The first start of a node creates them.");
}

async function schemaFinding(database: ReturnType<typeof openToCheck>): Promise<Finding> {
  try {
    const pending = await database.pendingMigrations();
    if (pending.length === 0) return ok("migrations", "The database matches this version.");
    const message = `The database lacks ${countOf(pending.length, "migration")}, up to ${pending.at(-1)}.`;
    return warning("migrations", message, "The next start of a node with this version upgrades it. Back it up before.");
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return problem("migrations", error.message, error.hint ?? "Use the version that wrote it.");
  }
}

/** What the state of a database means to its operator, in the order in which a person would look. */
export function stateFindings(state: DatabaseState, now: number): Finding[] {
  const live = state.nodes.filter(({ seenAt }) => !isGone(seenAt, now));
  return [
    privileges(state),
    balances(state),
    ...nodeFindings(state, live, now),
    jobsFinding(state.lateJobs, live),
    eventsFinding(state.lateEvents, live),
  ];
}

function privileges({ forbiddenTables, bytes }: DatabaseState): Finding {
  if (forbiddenTables.length === 0)
    return ok("privileges", `The database user may read and write all tables (${formatBytes(bytes)}).`);
  const [first] = forbiddenTables;
  const message = `The database user may not read and write ${countOf(forbiddenTables.length, "table")}, such as ${first}.`;
  return problem(
    "privileges",
    message,
    "Make it the owner of the tables, or GRANT ALL ON ALL TABLES IN SCHEMA public.",
  );
}

function balances({ unbalanced }: DatabaseState): Finding {
  if (unbalanced.length === 0) return ok("credits", "The credit balance of every workspace is the sum of its ledger.");
  const message = `The credit balance differs from the sum of the ledger for ${countOf(unbalanced.length, "workspace")}, such as ${unbalanced[0]}.`;
  const hint = "Unless these tables were changed by hand, this is a bug: report it with the output of this command.";
  return problem("credits", message, hint);
}

function nodeFindings(state: DatabaseState, live: readonly ClusterNode[], now: number): Finding[] {
  const lost = state.nodes.filter(({ seenAt }) => isGone(seenAt, now));
  // By machine: one whose process is started again and again would fill the screen.
  const findings = [...Map.groupBy(lost, ({ host }) => host)].map(([host, processes]) => {
    const seenAt = Math.max(...processes.map((process) => process.seenAt));
    const pids = processes.map(({ pid }) => pid).join(", ");
    const message =
      processes.length === 1
        ? `The node ${host} (process ${pids}) has not reported for ${durationText(now - seenAt)}.`
        : `${processes.length} nodes on ${host} have not reported, the last one for ${durationText(now - seenAt)} (processes ${pids}).`;
    const hint =
      "Killed, or cut off from the database: check the log. A node leaves the list an hour after its last report.";
    return warning("nodes", message, hint);
  });
  if (live.length === 0) return [...findings, ok("nodes", "No node is running on the database.")];
  const names = live.map(({ host, role }) => `${host} (${role})`).join(", ");
  return [
    ok("nodes", `${countOf(live.length, "node")} running: ${names}.`),
    ...findings,
    ...versions(live),
    ...skews(live),
    ...leadFinding(state, live),
    ...connections(state, live),
  ];
}

function versions(live: readonly ClusterNode[]): Finding[] {
  const byVersion = Map.groupBy(live, ({ version }) => version);
  if (byVersion.size === 1) return [];
  const list = [...byVersion].map(([version, nodes]) => `${version} on ${nodes.map(({ host }) => host).join(", ")}`);
  const hint = "Finish the rolling update: replace the older nodes. A node older than the tables cannot start again.";
  return [warning("nodes", `Nodes run different versions: ${list.join("; ")}.`, hint)];
}

function skews(live: readonly ClusterNode[]): Finding[] {
  return live
    .filter(({ clockAheadMs }) => Math.abs(clockAheadMs) >= notableSkewMs)
    .map(({ host, clockAheadMs }) => {
      const where = clockAheadMs > 0 ? "ahead of" : "behind";
      const message = `The clock of ${host} is ${Math.round(Math.abs(clockAheadMs) / 1000)} seconds ${where} the clock of the database.`;
      return warning("clock", message, "Synchronize it with a time server (timedatectl set-ntp true).");
    });
}

function leadFinding({ leader }: DatabaseState, live: readonly ClusterNode[]): Finding[] {
  const holder = live.find(({ id }) => id === leader);
  if (holder !== undefined) return [ok("nodes", `${holder.host} has the lead: it runs recurring chores and webhooks.`)];
  const mayLead = live.some(({ role, state }) => role !== "api" && state === "running");
  const hint = mayLead
    ? "A node takes it within 10 seconds. If this persists, check the logs of the nodes."
    : "Start a node with the role worker or all.";
  return [problem("nodes", "No node has the lead, so no chore runs and nothing is delivered to webhooks.", hint)];
}

function connections({ maxConnections }: DatabaseState, live: readonly ClusterNode[]): Finding[] {
  const wanted = live.reduce((total, { pool }) => total + (pool?.size ?? 0), 0);
  if (wanted <= maxConnections) return [];
  const message = `The pools of all nodes have ${countOf(wanted, "connection")}, but PostgreSQL accepts ${maxConnections}.`;
  return [warning("nodes", message, "Lower --database-pool, raise max_connections, or use a connection pooler.")];
}

function jobsFinding({ count, since }: Backlog, live: readonly ClusterNode[]): Finding {
  if (count === 0) return ok("jobs", "No job is late.");
  const message = `Late: ${countOf(count, "job")}, the first since ${new Date(since ?? 0).toISOString()}.`;
  if (live.some(({ role }) => role !== "api"))
    return problem("jobs", message, "Check the logs of the nodes for errors of the job runner, or add a node.");
  return warning("jobs", message, "They run once a node with the role worker or all runs.");
}

function eventsFinding({ count, since }: Backlog, live: readonly ClusterNode[]): Finding {
  if (count === 0) return ok("events", "No event is waiting for its position.");
  const message = `${countOf(count, "event")} without a position, the first since ${new Date(since ?? 0).toISOString()}. Streams and webhooks do not see them.`;
  if (live.length === 0) return warning("events", message, "They get it once a node runs.");
  return problem("events", message, "Check the logs of the nodes, and pg_stat_activity for long transactions.");
}
