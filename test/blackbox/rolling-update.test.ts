import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { startCluster, type ClusterNode } from "../support/cluster.ts";
import { createDirectory } from "../support/program.ts";
import { caddy, caddyWith, nginx, nginxWith, sample, startProxy, withoutTls } from "../support/proxies.ts";

/** Nodes that are restarted one after the other behind the proxies of deploy/, while leads are stored through them. */

setDefaultTimeout(120_000);

const hostOf = ({ url }: ClusterNode) => url.replace("http://", "");
const proxies = [
  {
    ...{ name: "Caddy", isInstalled: caddy !== null, maxRepeats: 0, lostToDead: 1 },
    start: (hosts: string[], port: number, folder: string) =>
      caddyWith(
        sample("Caddyfile")
          .replace("{$SITE_ADDRESS}", `http://:${port}`)
          .replace(/node-(\d):8080/g, (_, n: string) => hosts[Number(n) - 1]!),
        folder,
      ),
  },
  {
    // It has no health checks: a request can reach a node in the moment in which that stops listening.
    ...{ name: "nginx", isInstalled: nginx !== null, maxRepeats: 3, lostToDead: 0 },
    start: (hosts: string[], port: number, folder: string) =>
      nginxWith(
        withoutTls(sample("proxy/nginx-nodes.conf"), port).replace(
          /node-(\d):8080/g,
          (_, n: string) => hosts[Number(n) - 1]!,
        ),
        folder,
      ),
  },
];

describe.each(proxies)("$name", ({ start, isInstalled, maxRepeats, lostToDead }) => {
  test.skipIf(!isInstalled)("a rolling restart loses no request, and stores none twice", async () => {
    await using directory = await createDirectory();
    await using cluster = await startCluster();
    let nodes = [cluster.one, cluster.other];
    const proxy = await startProxy(directory.path, (port, folder) => start(nodes.map(hostOf), port, folder));
    const headers = { "x-api-key": cluster.key, "content-type": "application/json" };
    const stored: string[] = [];
    const refusals: string[] = [];
    let isRunning = true;

    /** Stores a lead, and repeats a request that failed with its key. */
    async function store(email: string): Promise<void> {
      const init = {
        method: "POST",
        headers: { ...headers, "idempotency-key": email },
        body: JSON.stringify({ email }),
      };
      for (;;) {
        const response = await fetch(`http://127.0.0.1:${proxy.port}/api/v2/leads`, init);
        if (response.ok) break;
        refusals.push(`${response.status} ${await response.text()}`);
        await Bun.sleep(100);
      }
      stored.push(email);
    }
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; isRunning; n++) {
        await store(`w${writer}-${n}@example.com`);
        await Bun.sleep(10);
      }
    });

    for (const node of nodes) {
      await Bun.sleep(1000);
      expect((await node.stop()).exitCode).toBe(0);
      const replacement = await cluster.add({}, ["--listen", hostOf(node)]);
      nodes = nodes.map((each) => (each === node ? replacement : each));
      // Caddy asks every two seconds whether a node is back.
      await Bun.sleep(3000);
    }
    isRunning = false;
    await Promise.all(writers);
    await proxy.stop();

    expect(refusals.slice(maxRepeats)).toEqual([]);
    expect(stored.length).toBeGreaterThan(100);
    const { data } = await cluster.client(nodes[0]!).get<{ total: number }>("/api/v2/leads", { query: { limit: 1 } });
    expect(data.total).toBe(stored.length);
  });

  test.skipIf(!isInstalled)("a node that was killed costs the next requests nothing", async () => {
    await using directory = await createDirectory();
    await using cluster = await startCluster();
    const hosts = [cluster.one, cluster.other].map(hostOf);
    const proxy = await startProxy(directory.path, (port, folder) => start(hosts, port, folder));
    const headers = { "x-api-key": cluster.key, "content-type": "application/json" };
    const store = async (n: number) => {
      const init = { method: "POST", headers, body: JSON.stringify({ email: `ada${n}@example.com` }) };
      return (await fetch(`http://127.0.0.1:${proxy.port}/api/v2/leads`, init)).status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) expect(await store(n)).toBe(200);
    await cluster.other.stop("SIGKILL");
    // At once: Caddy asks only every two seconds which nodes are ready.
    for (let n = 5; n < 45; n++) statuses.push(await store(n));
    await proxy.stop();
    expect(statuses.filter((status) => status !== 200).length).toBeLessThanOrEqual(lostToDead);
  });
});
