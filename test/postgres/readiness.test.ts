import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "../../src/adapters/storage/postgres/engine.ts";
import { createAppNodes, type AppNode } from "../support/app-nodes.ts";
import { eventually } from "../support/service.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

setDefaultTimeout(120_000);

type Readiness = { status: number; checks: { check: string; reason: string }[] };

async function readinessOf(node: AppNode): Promise<Readiness> {
  const response = await fetch(`${node.url}/readyz`);
  const body = (await response.json()) as { details?: { checks: Readiness["checks"] } };
  return { status: response.status, checks: body.details?.checks ?? [] };
}

/** The readiness once it has the status. */
const until = (node: AppNode, status: number) =>
  eventually(`status ${status}`, async () => {
    const found = await readinessOf(node);
    return found.status === status ? found : null;
  });

async function startBehindProxy() {
  const cluster = await createAppNodes();
  const url = new URL(cluster.database.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = `${proxy.port}`;
  const node = await cluster.start({ OUTREACHD_DATABASE: url.href });
  return {
    node,
    proxy,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

test("a node that cannot reach the database is not ready, says so, and recovers by itself", async () => {
  await using world = await startBehindProxy();
  const { node, proxy } = world;
  expect(await readinessOf(node)).toEqual({ status: 200, checks: [] });
  proxy.refuse();
  expect((await until(node, 503)).checks).toEqual([
    { check: "database", reason: expect.stringMatching(/^the database cannot be reached|^database: no response/) },
  ]);
  expect((await fetch(`${node.url}/healthz`)).status).toBe(200);
  proxy.recover();
  await until(node, 200);
});

test("a database that does not respond makes a node unready within seconds", async () => {
  await using world = await startBehindProxy();
  const { node, proxy } = world;
  expect((await readinessOf(node)).status).toBe(200);
  proxy.stall();
  expect((await until(node, 503)).checks).toEqual([
    { check: "database", reason: "database: no response within 2 seconds" },
  ]);
  proxy.recover();
  await until(node, 200);
});

test("metrics of the node are served while the database is away, and say so", async () => {
  await using world = await startBehindProxy();
  const { node, proxy } = world;
  const metrics = async () => {
    const response = await node.get("/metrics");
    return { status: response.status, text: await response.text() };
  };
  const value = (text: string, name: string) => new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "m").exec(text)?.[1];
  const before = await metrics();
  expect(value(before.text, "outreachd_database_up")).toBe("1");
  expect(value(before.text, "outreachd_database_bytes")).toMatch(/^\d+$/);
  for (const fail of [() => proxy.refuse(), () => proxy.stall()]) {
    fail();
    // From five seconds on, the node asks the database about each key, which does not respond.
    const { status, text } = await eventually("keys that may be outdated", async () => {
      const found = await metrics();
      return Number(value(found.text, "outreachd_key_version_lag_seconds")) > 5 ? found : null;
    });
    expect({ status, isUp: value(text, "outreachd_database_up") }).toEqual({ status: 200, isUp: "0" });
    expect(value(text, "outreachd_http_requests_total")).toBeDefined();
    expect(value(text, "process_resident_memory_bytes")).toBeDefined();
    for (const name of ["outreachd_database_bytes", "outreachd_claim_lag_seconds", "outreachd_credit_workspaces"])
      expect(value(text, name)).toBeUndefined();
    proxy.recover();
    await eventually("the database in the metrics", async () =>
      value((await metrics()).text, "outreachd_database_up") === "1" ? true : null,
    );
  }
  expect(value((await metrics()).text, "outreachd_database_bytes")).toMatch(/^\d+$/);
});

test("a node whose bucket is unavailable is not ready, until it is available again", async () => {
  await using cluster = await createAppNodes();
  const node = await cluster.start();
  cluster.s3.faults.fails = () => true;
  expect((await until(node, 503)).checks).toEqual([
    { check: "files", reason: "the S3 service for files is unavailable" },
  ]);
  cluster.s3.faults.fails = () => false;
  await until(node, 200);
});

test("a node that is stopping is not ready", async () => {
  await using cluster = await createAppNodes();
  const node = await cluster.start();
  const stopped = node.stop();
  const response = await node.handle(new Request("http://localhost/readyz"));
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    message: "Not ready: the server is stopping.",
    details: { checks: [{ check: "node", reason: "the server is stopping" }] },
  });
  await stopped;
});

test("a read-only database, such as a replica after a failover, makes a node unready", async () => {
  await using cluster = await createAppNodes();
  const node = await cluster.start();
  const setReadOnly = async (value: "on" | "off") => {
    const client = connect(cluster.database.url, { poolSize: 1 });
    const name = new URL(cluster.database.url).pathname.slice(1);
    await client.unsafe("SET default_transaction_read_only = off");
    await client.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    await client.end();
    await cluster.database.disconnect();
  };
  await setReadOnly("on");
  await eventually("the reason", async () => {
    const { checks } = await readinessOf(node);
    return checks.some(({ check, reason }) => check === "database" && reason === "the database is read-only") || null;
  });
  await setReadOnly("off");
  await until(node, 200);
});
