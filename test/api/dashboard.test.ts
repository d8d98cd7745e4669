import { afterAll, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) =>
  // As it comes over the wire: fetch would unpack it.
  fetch(service.url + path, { headers, decompress: false });

const assets = "/app/assets/";

/** What the document at `path` names. */
async function assetUrls(path = "/"): Promise<string[]> {
  const html = await (await get(path)).text();
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].flatMap(([, url = ""]) => (url.startsWith(assets) ? [url] : []));
}

test.each(["/", "/app", "/app/leads", "/app/leads/some-id?tab=history"])("%s is the page", async (path) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect(await response.text()).toContain('<div id="app">');
});

test("the page may load from this server only, and nothing inline", async () => {
  const { headers } = await get("/");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
  expect(policy).not.toContain("unsafe");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(await (await get("/")).text()).not.toMatch(/<script>|<style|style=|\son\w+=|https?:/);
});

test("what it loads is there, never changes, and says so", async () => {
  const urls = await assetUrls();
  expect(urls.length).toBeGreaterThan(3);
  for (const url of urls) {
    const response = await get(url);
    expect([url, response.status]).toEqual([url, 200]);
    // The name of the icon has no hash.
    const lasting = url.endsWith("icon.svg") ? "public, max-age=86400" : "public, max-age=31536000, immutable";
    expect([url, response.headers.get("cache-control")]).toEqual([url, lasting]);
  }
});

test.each([
  ["br, gzip", "br"],
  ["gzip, deflate, br;q=0", "gzip"],
  ["zstd", "zstd"],
  ["identity", null],
  ["", null],
])("to Accept-Encoding %j the answer is %j", async (accept, encoding) => {
  const url = (await assetUrls()).find((one) => one.endsWith(".css")) ?? "";
  const response = await get(url, { "accept-encoding": accept });
  expect(response.headers.get("content-encoding")).toBe(encoding);
  expect(response.headers.get("vary")).toContain("accept-encoding");
  const bytes = new Uint8Array(await response.arrayBuffer());
  const plain = { zstd: Bun.zstdDecompressSync, gzip: Bun.gunzipSync };
  if (encoding === "gzip" || encoding === "zstd")
    expect(new TextDecoder().decode(plain[encoding](bytes))).toContain("--accent");
  if (encoding === null) expect(new TextDecoder().decode(bytes)).toContain("--accent");
});

test("what the browser has already is not sent again", async () => {
  const headers = { "accept-encoding": "br" };
  const etag = (await get("/", headers)).headers.get("etag") ?? "";
  const again = await get("/", { ...headers, "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await get("/", { ...headers, "if-none-match": '"other"' })).status).toBe(200);
});

/** Scripts refer to each other relative to themselves. */
const script = /(?:from|import)"\.\/([\w-]+\.js)"/g;
const lazyScript = /import\("\.\/([\w-]+\.js)"\)/g;

/** Adds what a script imports to `weights`: compressed sizes by URL. */
async function weigh(url: string, patterns: RegExp[], weights: Map<string, number>): Promise<void> {
  if (weights.has(url)) return;
  weights.set(url, (await (await get(url, { "accept-encoding": "br" })).arrayBuffer()).byteLength);
  const text = await (await get(url)).text();
  for (const pattern of patterns)
    for (const [, name = ""] of text.matchAll(pattern)) await weigh(`/app/assets/${name}`, patterns, weights);
}

function sum(weights: Map<string, number>): number {
  return [...weights.values()].reduce((total, bytes) => total + bytes, 0);
}

test("each document names the scripts of its page, so that they load together", async () => {
  const named = async (path: string) => (await assetUrls(path)).filter((url) => url.endsWith(".js")).toSorted();
  const [other = [], ...documents] = await Promise.all(
    ["/app/unknown/page", "/", "/app", "/app/leads/", "/app/leads/import", "/app/leads/some-id", "/app/inbox"].map(
      named,
    ),
  );
  expect(other.map((url) => url.replace(/-\w+\.js$/, ""))).toEqual([`${assets}main`, `${assets}theme`]);
  const [home, app, ...others] = documents;
  expect(app).toEqual(home);
  // Every page has its own.
  expect(new Set([home, ...others].map(String)).size).toBe(5);
  for (const scripts of documents) {
    // None is found only while another is read.
    const imported = new Map<string, number>();
    for (const url of scripts) await weigh(url, [script], imported);
    expect([...imported.keys()].toSorted()).toEqual(scripts);
    expect(scripts.length).toBeGreaterThan(other.length);
  }
});

test("every document preloads the session, which its page needs first", async () => {
  for (const path of ["/", "/app/unknown/page", "/app/leads"])
    expect(await (await get(path)).text()).toContain(
      '<link rel="preload" href="/app/session" as="fetch" crossorigin="anonymous" />',
    );
});

test("the first screen loads at most 120 kB of scripts, and the other pages load theirs when opened", async () => {
  const scripts = (await assetUrls("/app/unknown/page")).filter((url) => url.endsWith(".js"));
  const main = scripts.find((url) => url.includes("/main-")) ?? "";
  const first = new Map<string, number>();
  for (const url of scripts) await weigh(url, [script], first);
  const pages = [...(await (await get(main)).text()).matchAll(lazyScript)].map(
    ([, name = ""]) => `/app/assets/${name}`,
  );
  expect(pages.length).toBeGreaterThan(10);
  for (const url of pages) {
    const weights = new Map(first);
    await weigh(url, [script], weights);
    expect(sum(weights)).toBeLessThan(120_000);
  }
  const all = new Map<string, number>();
  for (const url of scripts) await weigh(url, [script, lazyScript], all);
  expect(all.size).toBeGreaterThan(first.size + 10);
  // What opens without a page, such as the sign-in form, is no more than half of it.
  expect(sum(first)).toBeLessThan(sum(all) / 2);
});

test("an unknown path of the API stays JSON, also for a browser", async () => {
  const accept = "text/html,application/xhtml+xml";
  for (const path of ["/api/v2/nothing", "/nothing", "/app/assets/nothing.js"]) {
    const response = await fetch(service.url + path, { headers: { accept, "x-api-key": service.admin.key! } });
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toMatchObject({ code: "NOT_FOUND" });
  }
  const posted = await fetch(`${service.url}/app/leads`, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
