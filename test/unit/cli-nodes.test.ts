import { expect, test } from "bun:test";
import type { NodeList, NodeView } from "../../src/platform/cluster/model.ts";
import { createCommandLine, refused, success } from "../support/command-line.ts";

const node: NodeView = {
  id: "n-1",
  host: "alpha",
  pid: 7,
  role: "all",
  state: "running",
  version: "1.0.0",
  isSelf: false,
  hasLead: true,
  chores: ["delete expired sessions"],
  startedAt: "2026-01-05T10:00:00.000Z",
  seenAt: "2026-01-05T11:00:00.000Z",
  clockAheadMs: 3,
  keysVersion: 4,
  hasCurrentKeys: true,
  pool: { size: 10, open: 5, busy: 2, waiting: 0 },
};
const other: NodeView = {
  ...node,
  ...{ id: "n-2", host: "beta", pid: 12, role: "worker", state: "draining", hasLead: false, chores: [] },
  ...{ clockAheadMs: -250, hasCurrentKeys: false, pool: { size: 4, open: 4, busy: 4, waiting: 9 } },
};
const gone: NodeView = { ...other, id: "n-0", host: "gamma", state: "gone", role: "all" };
const list: NodeList = { clustered: true, claimLagMs: 1_500, nodes: [gone, node, other] };

test("nodes are a table, with what an operator should look at", async () => {
  await using line = await createCommandLine({ api: () => success(list) });
  const { exitCode, out } = await line.run("nodes");
  expect(exitCode).toBe(0);
  expect(out.split("\n").map((row) => row.split(/ {2,}/))).toEqual([
    ["HOST", "PROCESS", "ROLE", "STATE", "LEAD", "VERSION", "STARTED (UTC)", "CLOCK", "KEYS", "CONNECTIONS", "ID"],
    ["alpha", "7", "all", "running", "yes", "1.0.0", "2026-01-05 10:00:00", "+3 ms", "current", "2 of 10 busy", "n-1"],
    [
      ...["beta", "12", "worker", "draining", "no", "1.0.0", "2026-01-05 10:00:00", "-250 ms", "behind"],
      ...["4 of 4 busy, 9 waiting", "n-2"],
    ],
    ["gamma", "12", "all", "gone", "no", "1.0.0", "2026-01-05 10:00:00", "-", "-", "-", "n-0"],
    [""],
    ["The oldest due job has been waiting for 1.5 seconds."],
    [""],
  ]);
});

test("with --json, nodes are what the API returns", async () => {
  await using line = await createCommandLine({ api: () => success(list) });
  expect(JSON.parse((await line.run("nodes", "--json")).out)).toEqual(list);
});

test("a command that found no server does not list itself", async () => {
  await using line = await createCommandLine({
    api: () => success({ ...list, nodes: [{ ...node, isSelf: true }] }),
  });
  expect((await line.run("nodes")).out).toBe("No server is running. Start one with `outreachd serve`.\n");
});

test("a refusal of the API is reported", async () => {
  await using line = await createCommandLine({
    api: () => refused(403, "PERMISSION_DENIED", "Only admins can do this."),
  });
  const { exitCode, err } = await line.run("nodes");
  expect(exitCode).not.toBe(0);
  expect(err).toContain("Only admins can do this.");
});
