import { expect, test } from "bun:test";
import type { DatabaseState } from "../../src/adapters/storage/postgres/check-database.ts";
import type { ClusterNode } from "../../src/platform/cluster/model.ts";
import { stateFindings } from "../../src/surfaces/cli/doctor/shared-database.ts";
import { startOfTests as now } from "../support/clock.ts";

const node: ClusterNode = {
  ...{ id: "one", host: "alpha", pid: 7, role: "all", state: "running", version: "1.0.0", files: "s3://b/" },
  ...{ startedAt: now - 60_000, seenAt: now - 1_000, clockAheadMs: 2, keysVersion: 4 },
  pool: { size: 10, open: 3, busy: 1, waiting: 0 },
};
const other: ClusterNode = { ...node, id: "two", host: "beta", pid: 8 };
const well: DatabaseState = {
  ...{ bytes: 9_000_000, nodes: [node, other], leader: "one", forbiddenTables: [], unbalanced: [], maxConnections: 97 },
  ...{ lateJobs: { count: 0, since: null }, lateEvents: { count: 0, since: null }, webhooks: [] },
  backups: { running: null, last: null, newestAt: null },
};

/** What is not well, as its state and message. */
function complaints(change: Partial<DatabaseState>): string[] {
  const found = stateFindings({ ...well, ...change }, now).filter(({ state }) => state !== "ok");
  for (const { hint } of found) expect(hint?.length).toBeGreaterThan(20);
  return found.map(({ state, message }) => `${state}: ${message}`);
}

test("when all is well, it says what was checked", () => {
  expect(stateFindings(well, now).map(({ state, check, message }) => [state, check, message])).toEqual([
    ["ok", "privileges", "The database user may read and write all tables (9.0 MB)."],
    ["ok", "credits", "The credit balance of every workspace is the sum of its ledger."],
    ["ok", "nodes", "2 nodes running: alpha (all), beta (all)."],
    ["ok", "nodes", "alpha has the lead: it runs recurring chores and webhooks."],
    ["ok", "jobs", "No job is late."],
    ["ok", "events", "No event is waiting for its position."],
  ]);
});

test("a database without nodes is no problem, and its late jobs wait for one", () => {
  expect(complaints({ nodes: [], leader: null })).toEqual([]);
  expect(complaints({ nodes: [], leader: null, lateJobs: { count: 2, since: now - 3_600_000 } })).toEqual([
    "warning: Late: 2 jobs, the first since 2026-01-05T09:00:00.000Z.",
  ]);
});

test("late jobs, and events without a position, are a problem while nodes run", () => {
  expect(complaints({ lateJobs: { count: 1, since: now - 3_600_000 } })).toEqual([
    "problem: Late: 1 job, the first since 2026-01-05T09:00:00.000Z.",
  ]);
  expect(complaints({ lateEvents: { count: 1_200, since: now - 3_600_000 } })).toEqual([
    "problem: 1,200 events without a position, the first since 2026-01-05T09:00:00.000Z. Streams and webhooks do not see them.",
  ]);
});

test("late jobs are a warning if all nodes only answer requests, and then nothing has the lead", () => {
  const nodes = [{ ...node, role: "api" as const }];
  expect(complaints({ nodes, leader: null, lateJobs: { count: 1, since: now - 3_600_000 } })).toEqual([
    "problem: No node has the lead, so no chore runs and nothing is delivered to webhooks.",
    "warning: Late: 1 job, the first since 2026-01-05T09:00:00.000Z.",
  ]);
});

test("nodes of different versions, with clocks that are off, or that are gone, are named", () => {
  expect(complaints({ nodes: [node, { ...other, version: "1.1.0" }] })).toEqual([
    "warning: Nodes run different versions: 1.0.0 on alpha; 1.1.0 on beta.",
  ]);
  expect(complaints({ nodes: [node, { ...other, clockAheadMs: -31_000 }] })).toEqual([
    "warning: The clock of beta is 31 seconds behind the clock of the database.",
  ]);
  expect(complaints({ nodes: [node, { ...other, seenAt: now - 600_000, version: "0.9.0" }] })).toEqual([
    "warning: The node beta (process 8) has not reported for 10 minutes.",
  ]);
  const lost = [600_000, 1_200_000].map((ago, n) => ({ ...other, pid: n + 1, seenAt: now - ago }));
  expect(complaints({ nodes: [node, ...lost] })).toEqual([
    "warning: 2 nodes on beta have not reported, the last one for 10 minutes (processes 1, 2).",
  ]);
});

test("pools that want more connections than there are, are reported", () => {
  expect(complaints({ maxConnections: 19 })).toEqual([
    "warning: The pools of all nodes have 20 connections, but PostgreSQL accepts 19.",
  ]);
});

test("missing privileges and balances that differ from the ledger are problems", () => {
  expect(complaints({ forbiddenTables: ["jobs", "leads"], unbalanced: ["w-1"] })).toEqual([
    "problem: The database user may not read and write 2 tables, such as jobs.",
    "problem: The credit balance differs from the sum of the ledger for 1 workspace, such as w-1.",
  ]);
});
