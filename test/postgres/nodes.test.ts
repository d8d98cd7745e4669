import { expect, setDefaultTimeout, test } from "bun:test";
import { createLog } from "../../src/platform/base/log.ts";
import type { NodeList } from "../../src/platform/cluster/model.ts";
import { createAppNodes, type AppNode } from "../support/app-nodes.ts";
import { eventually } from "../support/service.ts";

setDefaultTimeout(120_000);

const nodesOf = (node: AppNode) => node.data<NodeList>("/api/v2/nodes");

/** The nodes once one of them has the lead. */
function withLead(node: AppNode): Promise<NodeList> {
  return eventually("a node to take the lead", async () => {
    const list = await nodesOf(node);
    return list.nodes.some(({ hasLead }) => hasLead) ? list : null;
  });
}

test("each node lists both, in the order in which they started, and agrees on who has the lead", async () => {
  await using cluster = await createAppNodes();
  const [first, second] = [await cluster.start(), await cluster.start({ OUTREACHD_DATABASE_POOL: "7" })];
  const seenByFirst = await withLead(first);
  expect(seenByFirst).toMatchObject({
    clustered: true,
    claimLagMs: 0,
    nodes: [
      { isSelf: true, state: "running", role: "all", hasCurrentKeys: true, pool: { size: 4 } },
      { isSelf: false, state: "running", role: "all", hasCurrentKeys: true, pool: { size: 7 } },
    ],
  });
  const leading = seenByFirst.nodes.filter(({ hasLead }) => hasLead);
  expect(leading).toHaveLength(1);
  expect(leading[0]!.chores).toContain("deliver to webhooks");
  const seenBySecond = await nodesOf(second);
  expect(seenBySecond.nodes.map(({ id, hasLead }) => ({ id, hasLead }))).toEqual(
    seenByFirst.nodes.map(({ id, hasLead }) => ({ id, hasLead })),
  );
  expect(seenBySecond.nodes.map(({ isSelf }) => isSelf)).toEqual([false, true]);
});

test("a node that stops leaves the list, and the other takes the lead", async () => {
  await using cluster = await createAppNodes();
  const [first, second] = [await cluster.start(), await cluster.start()];
  const { nodes } = await withLead(first);
  await first.stop();
  const left = await eventually("the other to take the lead", async () => {
    const list = await nodesOf(second);
    return list.nodes.length === 1 && list.nodes[0]!.hasLead ? list : null;
  });
  expect(left.nodes[0]!.id).toBe(nodes[1]!.id);
});

test("a node for requests does not take the lead", async () => {
  await using cluster = await createAppNodes();
  const first = await cluster.start({ OUTREACHD_ROLE: "api" });
  await cluster.start({ OUTREACHD_ROLE: "worker" });
  const { nodes } = await withLead(first);
  expect(nodes.map(({ role, hasLead }) => ({ role, hasLead }))).toEqual([
    { role: "api", hasLead: false },
    { role: "worker", hasLead: true },
  ]);
});

test("metrics show the node, its connections, the lead, and how recent its knowledge is", async () => {
  await using cluster = await createAppNodes();
  const node = await cluster.start();
  await withLead(node);
  const text = await (await node.get("/metrics")).text();
  const { nodes } = await nodesOf(node);
  const { id, host, version } = nodes[0]!;
  const valueOf = (name: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length) ?? Number.NaN,
    );
  expect(valueOf(`outreachd_node_info{node="${id}",host="${host}",role="all",version="${version}"}`)).toBe(1);
  expect(valueOf("outreachd_chore_holder")).toBe(1);
  expect(valueOf("outreachd_claim_lag_seconds")).toBe(0);
  expect(valueOf("outreachd_node_pool_size")).toBe(4);
  expect(valueOf('outreachd_node_pool_connections{state="open"}')).toBeWithin(1, 5);
  expect(valueOf('outreachd_node_pool_connections{state="busy"}')).toBeWithin(0, 5);
  expect(valueOf('outreachd_node_pool_connections{state="waiting"}')).toBeGreaterThanOrEqual(0);
  expect(valueOf("outreachd_key_version_lag_seconds")).toBeWithin(0, 5);
  expect(Math.abs(valueOf("outreachd_clock_offset_seconds"))).toBeLessThan(1);
  expect(text).not.toContain("outreachd_database_log_bytes");
});

test("every line of the log has the ID of its node", async () => {
  await using cluster = await createAppNodes();
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const node = await cluster.start({ OUTREACHD_LOG_REQUESTS: "false" }, { log });
  const { nodes } = await withLead(node);
  await node.stop();
  expect(lines.length).toBeGreaterThan(2);
  expect(new Set(lines.map((line) => (JSON.parse(line) as { node?: string }).node))).toEqual(new Set([nodes[0]!.id]));
});

test("a campaign that starts on a node for requests is advanced by a node for jobs", async () => {
  await using cluster = await createAppNodes();
  const settings = { OUTREACHD_CONNECTOR: "simulated" };
  const requests = await cluster.start({ ...settings, OUTREACHD_ROLE: "api" });
  await cluster.start({ ...settings, OUTREACHD_ROLE: "worker" });
  await withLead(requests);
  const api = "/api/v2";
  const lead = await requests.data<{ id: string }>(`${api}/leads`, {
    firstName: "Ada",
    networkUrl: "https://network.example/in/ada",
  });
  const steps = [{ type: "wait", days: 1 }];
  const campaign = await requests.data<{ id: string }>(`${api}/campaigns`, { name: "Spring", steps });
  await requests.data(`${api}/campaigns/${campaign.id}/start`, {});
  await requests.data(`${api}/campaigns/${campaign.id}/enroll`, { leadIds: [lead.id] });
  type Enrollments = { enrollments: { nextCheckAt: string | null }[] };
  await eventually("the wait to begin", async () => {
    const { enrollments } = await requests.data<Enrollments>(`${api}/campaigns/${campaign.id}/enrollments`);
    const nextAt = Date.parse(enrollments[0]?.nextCheckAt ?? "");
    return nextAt > Date.now() + 3_600_000 || null;
  });
});
