import { expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";
import { startVendor, vendorKey, vendors } from "../support/vendors.ts";

const apollo = vendors.find(({ name }) => name === "apollo")!;
type Server = Awaited<ReturnType<typeof startServer>>;

/** Talks to a server with the key of its first start. */
function clientOf(server: Server, key: string) {
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(server.api + path, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { data: unknown }).data;
  };
  return {
    post: (path: string, body: unknown, headers?: Record<string, string>) => send("POST", path, body, headers),
    credits: async () => (await send("GET", "/credits")) as { balance: number; reserved: number },
    job: async (id: string) => (await send("GET", `/users/jobs/${id}`)) as JobView,
    results: async (id: string) =>
      (await send("GET", `/enrich/jobs/${id}/results?limit=200`)) as {
        enriched: { index: number }[];
        creditsUsed: number;
      },
  };
}

const settings = (url: string) => ({
  OUTREACHD_ENRICHMENT_PROVIDERS: "apollo",
  OUTREACHD_ENRICHMENT_URLS: `apollo=${url}`,
  OUTREACHD_APOLLO_KEY: vendorKey,
  OUTREACHD_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
});
const person = (n: number) => ({ firstName: `Ada${n}`, lastName: "Lovelace", company: "Analytical Engines" });

test("a server that is killed while a vendor is asked gives the credits back when it starts", async () => {
  await using directory = await createDirectory();
  await using vendor = startVendor(apollo);
  vendor.answerWith(() => new Promise<Response>(() => {}));
  let key = "";
  {
    await using server = await startServer(directory.path, { env: settings(vendor.url) });
    key = server.firstRun?.key ?? "";
    const client = clientOf(server, key);
    const asked = vendor.nextRequest();
    void client.post("/enrich", { leads: [person(1), person(2)] }).catch(() => null);
    await asked;
    expect(await client.credits()).toMatchObject({ balance: 998, reserved: 2 });
    await server.stop("SIGKILL");
  }
  await using server = await startServer(directory.path, { env: settings(vendor.url) });
  const credits = await eventually("the credits to come back", async () => {
    const found = await clientOf(server, key).credits();
    return found.reserved === 0 ? found : null;
  });
  expect(credits.balance).toBe(1000);
}, 30_000);

test("a job that is killed in the middle goes on, and charges each lead once", async () => {
  await using directory = await createDirectory();
  await using vendor = startVendor(apollo);
  const leads = Array.from({ length: 60 }, (_, n) => person(n));
  let key = "";
  let jobId = "";
  {
    await using server = await startServer(directory.path, { env: settings(vendor.url) });
    key = server.firstRun?.key ?? "";
    const client = clientOf(server, key);
    // In the middle of the fourth batch the vendor falls silent.
    const silent = Promise.withResolvers<void>();
    vendor.answerWith((request) => {
      if (vendor.requests <= 34) return apollo.answer(request, new URL(request.url));
      silent.resolve();
      return new Promise<Response>(() => {});
    });
    ({ id: jobId } = (await client.post("/enrich", { leads }, { prefer: "respond-async" })) as JobView);
    await silent.promise;
    expect(await client.credits()).toMatchObject({ balance: 940 });
    await server.stop("SIGKILL");
  }
  vendor.answerWith(null);
  const askedBefore = vendor.requests;
  await using server = await startServer(directory.path, { env: settings(vendor.url) });
  const client = clientOf(server, key);
  const job = await eventually("the job to end", async () => {
    const found = await client.job(jobId);
    return found.status === "completed" || found.status === "failed" ? found : null;
  });
  expect(job).toMatchObject({ status: "completed", metadata: { processed: 60, enriched: 60, creditsUsed: 60 } });
  expect(await client.credits()).toMatchObject({ balance: 940, reserved: 0 });
  const results = await client.results(jobId);
  expect(results.enriched.map(({ index }) => index)).toEqual(leads.map((_, n) => n));
  // Only the batch that was under way was asked again.
  expect(vendor.requests - askedBefore).toBe(30);
}, 30_000);

test("a server that is killed while a vendor is asked counts that call against its monthly cap", async () => {
  await using directory = await createDirectory();
  await using vendor = startVendor(apollo);
  const env = { ...settings(vendor.url), OUTREACHD_ENRICHMENT_SPEND_CAPS: "apollo=1" };
  vendor.answerWith(() => new Promise<Response>(() => {}));
  let key = "";
  {
    await using server = await startServer(directory.path, { env });
    key = server.firstRun?.key ?? "";
    const asked = vendor.nextRequest();
    void clientOf(server, key)
      .post("/enrich", { leads: [person(1)] })
      .catch(() => null);
    await asked;
    await server.stop("SIGKILL");
  }
  vendor.answerWith(null);
  await using server = await startServer(directory.path, { env });
  const answer = await clientOf(server, key).post("/enrich", { leads: [person(1)] });
  expect(answer).toMatchObject({
    enriched: [],
    failed: [
      { code: "PROVIDERS_UNAVAILABLE", message: expect.stringContaining("The monthly spend cap of apollo is reached") },
    ],
  });
  expect(vendor.requests).toBe(1);
});
