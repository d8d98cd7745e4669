import { afterEach, expect, test } from "bun:test";
import { answerWith } from "../support/page.ts";
import { api, longPatienceSeconds } from "../../src/surfaces/dashboard/app/api.ts";
import { isConnected } from "../../src/surfaces/dashboard/app/connection.ts";

const realTimeout = globalThis.setTimeout;
afterEach(() => {
  globalThis.setTimeout = realTimeout;
});

/** A server that rate limits one request for this time, and timers that fire immediately. */
function limitedFor(seconds: number): { asked: string[]; waited: number[] } {
  const waited: number[] = [];
  globalThis.setTimeout = ((run: () => void, ms = 0) => {
    waited.push(ms);
    return realTimeout(run, 0);
  }) as typeof setTimeout;
  let isLimited = true;
  const asked = answerWith({
    "GET /api/v2/leads": () => {
      const wasLimited = isLimited;
      isLimited = false;
      return wasLimited
        ? { status: 429, body: { message: "Too many requests.", retryAfter: seconds } }
        : { body: { success: true, data: "leads" } };
    },
  });
  return { asked, waited };
}

test("waits silently for a short rate limit, and reports a long one", async () => {
  const short = limitedFor(5);
  expect(await api.get<string>("/leads")).toBe("leads");
  expect(short.waited).toContain(5000);
  limitedFor(50);
  await expect(api.get("/leads")).rejects.toThrow("Too many requests.");
});

test("operations with progress wait up to a minute, and can be stopped", async () => {
  const patient = { patienceSeconds: longPatienceSeconds };
  const { waited } = limitedFor(50);
  expect(await api.get<string>("/leads", patient)).toBe("leads");
  expect(waited).toContain(50_000);
  const stop = new AbortController();
  const { asked } = limitedFor(50);
  globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout;
  const stopped = api.get("/leads", { ...patient, signal: stop.signal }).catch((error: unknown) => error);
  while (asked.length === 0) await Promise.resolve();
  for (let turns = 0; turns < 50; turns++) await Promise.resolve();
  stop.abort();
  expect(await stopped).toBe(stop.signal.reason);
  expect(asked).toHaveLength(1);
});

test("a proxy that found no node counts as a lost connection, until a node is ready", async () => {
  globalThis.setTimeout = ((run: () => void) => realTimeout(run, 0)) as typeof setTimeout;
  const asked: string[] = [];
  let isReady = false;
  globalThis.fetch = (async (url: string) => {
    asked.push(url);
    return new Response(null, { status: isReady ? 200 : 503 });
  }) as unknown as typeof fetch;
  await expect(api.get("/leads")).rejects.toThrow();
  expect(isConnected.value).toBe(false);
  isReady = true;
  while (!isConnected.value) await new Promise((resolve) => realTimeout(resolve, 1));
  expect(asked.at(-1)).toBe("/readyz?exclude=files");
});

test("a server that refuses for now is not lost", async () => {
  answerWith({ "GET /api/v2/leads": () => ({ status: 503, body: { message: "Maintenance." } }) });
  await expect(api.get("/leads")).rejects.toThrow("Maintenance.");
  expect(isConnected.value).toBe(true);
});
