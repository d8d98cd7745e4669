import { afterAll, expect, test } from "bun:test";
import { hostname } from "node:os";
import type { NodeList } from "../../src/platform/cluster/model.ts";
import { startService, succeeded, testEmbedded, usesBinary } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const path = "/api/v2/nodes";

testEmbedded("on the embedded database there is one node, which does everything", async () => {
  const list = succeeded(await service.admin.get<NodeList>(path)).data;
  expect(list).toMatchObject({ clustered: false, claimLagMs: 0 });
  expect(list.nodes).toHaveLength(1);
  const { version } = (await import("../../package.json")) as { version: string };
  expect(list.nodes[0]).toMatchObject({
    host: hostname(),
    role: "all",
    state: "running",
    version,
    isSelf: true,
    hasLead: true,
    clockAheadMs: 0,
    hasCurrentKeys: true,
    pool: null,
  });
  if (!usesBinary) expect(list.nodes[0]!.pid).toBe(process.pid);
  expect(list.nodes[0]!.chores).toContain("deliver to webhooks");
  expect(list.nodes[0]!.chores).not.toContain("check for due jobs");
});

test("nodes are shown to admins of the installation only", async () => {
  const member = await service.user();
  expect((await member.get(path)).code).toBe("PERMISSION_DENIED");
  const limited = await service.keyOf(service.admin, ["leads:read"]);
  expect((await limited.get(path)).code).toBe("PERMISSION_DENIED");
  expect((await service.client(null).get(path)).code).toBe("UNAUTHORIZED");
});
