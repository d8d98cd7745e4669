import { expect, setDefaultTimeout, test } from "bun:test";
import type { CloneDetailView } from "../../src/features/voice/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import { noRateLimits, startCluster, type ClusterNode } from "../support/cluster.ts";
import { openStream } from "../support/event-stream.ts";
import { eventually, succeeded } from "../support/service.ts";
import { startVendor, vendorKey, vendors } from "../support/vendors.ts";
import { cloneForm, clonesPath, spokenWav } from "../support/voices.ts";

setDefaultTimeout(120_000);

const apollo = vendors.find(({ name }) => name === "apollo")!;
const leadsPath = "/api/v2/leads";
type Leads = { leads: { id: string; email: string }[]; total: number; nextCursor: string | null };

test("a client that alternates between two nodes reads what it wrote, and pages through all of it", async () => {
  await using cluster = await startCluster();
  const client = cluster.alternating();
  for (let n = 0; n < 20; n++) {
    const { id } = succeeded(await client.post<{ id: string }>(leadsPath, { email: `p${n}@example.com` })).data;
    const lead = `${leadsPath}/${id}`;
    expect(succeeded(await client.get<{ id: string }>(lead)).data.id).toBe(id);
    succeeded(await client.patch(lead, { company: `Company ${n}` }));
    expect(succeeded(await client.get<{ company: string }>(lead)).data.company).toBe(`Company ${n}`);
    expect(succeeded(await client.get<Leads>(leadsPath, { query: { limit: 1 } })).data.total).toBe(n + 1);
    if (n % 4 !== 0) continue;
    succeeded(await client.delete(lead));
    expect((await client.get(lead)).status).toBe(404);
    succeeded(await client.post(leadsPath, { email: `again${n}@example.com` }));
  }
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Leads = succeeded(
      await client.get<Leads>(leadsPath, { query: { limit: 3, ...(cursor !== null && { cursor }) } }),
    ).data;
    seen.push(...page.leads.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(new Set(seen).size).toBe(20);
  expect(seen).toHaveLength(20);
});

test("the same person is a duplicate on the other node, even at the same moment", async () => {
  await using cluster = await startCluster();
  const [one, other] = [cluster.client(cluster.one), cluster.client(cluster.other)];
  for (let n = 0; n < 10; n++) {
    const answers = await Promise.all(
      [one, other].map((client) =>
        client.post(leadsPath, { email: `p${n}@example.com` }, { query: { onDuplicate: "error" } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  }
});

test("a stream that is resumed on the other node misses nothing", async () => {
  await using cluster = await startCluster();
  const client = cluster.alternating();
  const nodes = [cluster.one, cluster.other];
  const emails: string[] = [];
  let isWriting = true;
  const write = async (): Promise<void> => {
    while (isWriting) {
      const email = `p${emails.length}@example.com`;
      emails.push(email);
      succeeded(await client.post(leadsPath, { email }));
    }
  };
  const writing = write();
  const received: string[] = [];
  let lastId = "0";
  for (let round = 0; round < 12; round++) {
    const url = `${nodes[round % 2]!.url}/api/v2/events/stream?type=lead.created`;
    await using stream = await openStream(url, cluster.key, { "last-event-id": lastId });
    for (const { id, data } of await stream.take(3 + round)) {
      lastId = id!;
      received.push((data as { leadId: string }).leadId);
    }
  }
  isWriting = false;
  await writing;
  await using last = await openStream(`${cluster.other.url}/api/v2/events/stream?type=lead.created`, cluster.key, {
    "last-event-id": lastId,
  });
  for (const { data } of await last.take(emails.length - received.length))
    received.push((data as { leadId: string }).leadId);
  expect(received).toHaveLength(new Set(received).size);
  const { total } = succeeded(await client.get<Leads>(leadsPath, { query: { limit: 1 } })).data;
  expect(received).toHaveLength(total);
});

test("an event reaches a stream on the other node within a second", async () => {
  await using cluster = await startCluster();
  await using stream = await openStream(`${cluster.other.url}/api/v2/events/stream`, cluster.key);
  const sentAt = performance.now();
  succeeded(await cluster.client(cluster.one).post(leadsPath, { email: "ada@example.com" }));
  expect((await stream.next())?.event).toBe("lead.created");
  expect(performance.now() - sentAt).toBeLessThan(1000);
});

const page = { "x-outreachd-page": "1", "content-type": "application/json" };

test("a browser that signed in on one node is signed in on the other, and signed out on both", async () => {
  await using cluster = await startCluster();
  const response = await fetch(`${cluster.one.url}/app/session`, {
    method: "POST",
    headers: page,
    body: JSON.stringify({ key: cluster.key }),
  });
  expect(response.status).toBe(200);
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  const statusOn = async ({ url }: ClusterNode, path: string, method = "GET") =>
    (await fetch(url + path, { method, headers: { ...page, cookie } })).status;
  expect(await statusOn(cluster.other, "/app/session")).toBe(200);
  expect(await statusOn(cluster.other, leadsPath)).toBe(200);
  expect(await statusOn(cluster.other, "/app/session", "DELETE")).toBe(200);
  await within(1000, "the sign-out", async () => (await statusOn(cluster.one, leadsPath)) === 401);
});

test("a key that is revoked on one node is refused on the other within a second", async () => {
  await using cluster = await startCluster();
  const [one, other] = [cluster.client(cluster.one), cluster.client(cluster.other)];
  for (let n = 0; n < 5; n++) {
    const made = await one.post<NewKeyView>("/api/v2/keys", { name: `key ${n}`, permissions: ["leads:read"] });
    const { id, key } = succeeded(made).data;
    const user = cluster.client(cluster.other, key);
    expect((await user.get(leadsPath)).status).toBe(200);
    succeeded(await (n % 2 === 0 ? one : other).delete(`/api/v2/keys/${id}`));
    await within(1000, "the refusal", async () => (await user.get(leadsPath)).status === 401);
  }
});

test("a rate limit holds for all nodes together, to the request", async () => {
  await using cluster = await startCluster([{}, {}], {
    OUTREACHD_RATE_LIMIT_MINUTE: "40",
    OUTREACHD_RATE_LIMIT_HOUR: "1000",
    OUTREACHD_RATE_LIMIT_DAY: "1000",
  });
  const client = cluster.alternating();
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.get(leadsPath)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(60);
});

test("a request with an Idempotency-Key is replayed by the other node, and executed once if both get it", async () => {
  await using cluster = await startCluster();
  const [one, other] = [cluster.client(cluster.one), cluster.client(cluster.other)];
  const headers = { "idempotency-key": "first" };
  const made = succeeded(await one.post<{ id: string }>(leadsPath, { email: "ada@example.com" }, { headers }));
  const again = succeeded(await other.post<{ id: string }>(leadsPath, { email: "ada@example.com" }, { headers }));
  expect(again.data.id).toBe(made.data.id);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  for (let n = 0; n < 10; n++) {
    const both = await Promise.all(
      [one, other].map((client) =>
        client.post<{ id: string }>(
          leadsPath,
          { email: `p${n}@example.com` },
          { headers: { "idempotency-key": `key-${n}` } },
        ),
      ),
    );
    const accepted = both.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ data }) => data.id)).size).toBe(1);
    for (const { status, code } of both) if (status !== 200) expect(code).toBe("REQUEST_IN_PROGRESS");
  }
  const { total } = succeeded(await one.get<Leads>(leadsPath, { query: { limit: 1 } })).data;
  expect(total).toBe(11);
});

test("a request that a live node is working on is in progress for the other, and interrupted once that node is gone", async () => {
  await using vendor = startVendor(apollo);
  await using cluster = await startCluster([{}, {}], {
    ...noRateLimits,
    OUTREACHD_ENRICHMENT_PROVIDERS: "apollo",
    OUTREACHD_ENRICHMENT_URLS: `apollo=${vendor.url}`,
    OUTREACHD_APOLLO_KEY: vendorKey,
    OUTREACHD_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
  });
  vendor.answerWith(() => new Promise<Response>(() => {}));
  const asked = vendor.nextRequest();
  const [one, other] = [cluster.client(cluster.one), cluster.client(cluster.other)];
  const enrich = (client: typeof one) =>
    client.post(
      "/api/v2/enrich",
      { leads: [{ firstName: "Ada", lastName: "Lovelace", company: "Analytical Engines" }] },
      { headers: { "idempotency-key": "slow" } },
    );
  const first = enrich(one).catch(() => null);
  await asked;
  // Credits are reserved, so the key is stored without a response.
  expect(await enrich(other)).toMatchObject({ status: 409, code: "REQUEST_IN_PROGRESS" });
  await cluster.one.stop("SIGKILL");
  expect(await first).toBeNull();
  await eventually("the end of the node to be noticed", async () => {
    const { status, code } = await enrich(other);
    expect(status).toBe(409);
    return code === "REQUEST_INTERRUPTED" ? true : null;
  });
});

test("a recording that one node received trains a voice on the other, which has the role of a worker", async () => {
  await using cluster = await startCluster([{ OUTREACHD_ROLE: "api" }, { OUTREACHD_ROLE: "worker" }]);
  const client = cluster.client(cluster.one);
  const made = await client.post<{ voiceId: string }>(clonesPath, cloneForm([["ada.wav", await spokenWav(12)]]));
  const clone = `${clonesPath}/${succeeded(made).data.voiceId}`;
  const ended = await eventually(
    "the training",
    async () => {
      const { data } = succeeded(await client.get<CloneDetailView>(clone));
      return data.status === "processing" ? null : data;
    },
    { patienceMs: 100_000 },
  );
  expect(ended.status).toBe("ready");
  const heard = await client.post(`${clone}/preview`, { text: "Hello there" });
  expect(heard.status).toBe(200);
});

test("a worker answers health checks only, and a node with the role api runs no jobs", async () => {
  await using cluster = await startCluster([{ OUTREACHD_ROLE: "api" }, { OUTREACHD_ROLE: "worker" }]);
  const statusOn = async ({ url }: ClusterNode, path: string) =>
    (await fetch(url + path, { headers: { "x-api-key": cluster.key } })).status;
  for (const path of ["/healthz", "/readyz"]) expect(await statusOn(cluster.other, path)).toBe(200);
  expect(await statusOn(cluster.other, leadsPath)).toBe(404);
  const client = cluster.client(cluster.one);
  await cluster.other.stop();
  const job = succeeded(
    await client.post<{ id: string }>("/api/v2/leads/import", "email\nada@example.com\n", {
      headers: { "content-type": "text/csv" },
    }),
  ).data;
  const stateOf = async () =>
    succeeded(await client.get<{ status: string }>(`/api/v2/users/jobs/${job.id}`)).data.status;
  for (let looks = 0; looks < 20; looks++) expect(await stateOf()).toBe("pending");
  await cluster.add({ OUTREACHD_ROLE: "worker" });
  await eventually("the import", async () => ((await stateOf()) === "completed" ? true : null));
});

test("a node that is asked to stop is not ready, answers on for a moment, ends what it has begun, and leaves its jobs", async () => {
  await using cluster = await startCluster();
  const [one, other] = [cluster.client(cluster.one), cluster.client(cluster.other)];
  const begun = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const csv = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode("email\n"));
      begun.resolve();
      await rest.promise;
      controller.enqueue(new TextEncoder().encode("ada@example.com\n"));
      controller.close();
    },
  });
  const upload = one.post<{ id: string }>(`${leadsPath}/import`, csv, { headers: { "content-type": "text/csv" } });
  await begun.promise;
  // A request on another connection is answered after the head of the first one has arrived.
  expect((await one.get(leadsPath)).status).toBe(200);
  const stopped = cluster.one.stop();
  await eventually("the end of readiness", async () => {
    const response = await fetch(`${cluster.one.url}/readyz`);
    return response.status === 503 && (await response.text()).includes("the server is stopping") ? true : null;
  });
  expect((await one.get(leadsPath)).status).toBe(200);
  await eventually("the end of the listener", () =>
    fetch(`${cluster.one.url}/healthz`).then(
      () => null,
      () => true,
    ),
  );
  rest.resolve();
  const { id } = succeeded(await upload).data;
  expect((await stopped).exitCode).toBe(0);
  await eventually("the import", async () => {
    const { data } = succeeded(await other.get<{ status: string }>(`/api/v2/users/jobs/${id}`));
    return data.status === "completed" ? true : null;
  });
});

async function within(ms: number, what: string, isTrue: () => Promise<boolean>): Promise<void> {
  await eventually(what, async () => ((await isTrue()) ? true : null), { patienceMs: ms });
}
