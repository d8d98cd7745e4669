import { expect, test } from "bun:test";
import { goneAfterMs, type ClusterNode } from "../../src/platform/cluster/model.ts";
import { nodeView } from "../../src/platform/cluster/node-views.ts";
import { startOfTests as now } from "../support/clock.ts";

const node: ClusterNode = {
  id: "one",
  host: "alpha",
  pid: 7,
  role: "all",
  state: "running",
  version: "1.0.0",
  files: "s3://bucket/",
  startedAt: now - 60_000,
  seenAt: now - 1_000,
  clockAheadMs: -3,
  keysVersion: 4,
  pool: { size: 10, open: 3, busy: 1, waiting: 0 },
};
const facts = { now, selfId: "one", leader: "one", keysVersion: 4, chores: ["sweep"] };

test("the node that has the lead runs the chores, and where files are is not shown", () => {
  const { files: _, ...shown } = node;
  expect(nodeView(node, facts)).toEqual({
    ...shown,
    isSelf: true,
    hasLead: true,
    chores: ["sweep"],
    startedAt: "2026-01-05T09:59:00.000Z",
    seenAt: "2026-01-05T09:59:59.000Z",
    hasCurrentKeys: true,
  });
});

test("another node runs no chores", () => {
  expect(nodeView({ ...node, id: "two" }, facts)).toMatchObject({ isSelf: false, hasLead: false, chores: [] });
});

test("a node that has not reported for 15 seconds is gone, whatever it said last and even if its lead has not ended", () => {
  const last = { ...node, state: "draining" as const };
  expect(nodeView({ ...last, seenAt: now - goneAfterMs + 1 }, facts)).toMatchObject({
    state: "draining",
    hasLead: true,
  });
  expect(nodeView({ ...last, seenAt: now - goneAfterMs }, facts)).toMatchObject({ state: "gone", hasLead: false });
});

test("a node that knows an earlier version of keys is behind", () => {
  expect(nodeView(node, { ...facts, keysVersion: 5 }).hasCurrentKeys).toBe(false);
});
