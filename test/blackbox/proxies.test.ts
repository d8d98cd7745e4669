import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { request as send, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { caddy, caddyWith, nginx, nginxWith, sample, startProxy, withoutTls } from "../support/proxies.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";

/** The samples in deploy/proxy/ with Debian's nginx and Caddy in front of the program. Traefik is not in Debian. */

setDefaultTimeout(120_000);

type Proxy = {
  name: string;
  publicUrl: string;
  isInstalled: boolean;
  start: (server: string, port: number, folder: string) => string[];
};

const read = (name: string, server: string) =>
  sample(`proxy/${name}`).replaceAll("127.0.0.1:8080", server.replace("http://", ""));

const proxies: Proxy[] = [
  {
    ...{ name: "nginx", publicUrl: "http://proxy.test", isInstalled: nginx !== null },
    start: (server, port, folder) => nginxWith(withoutTls(read("nginx.conf", server), port), folder),
  },
  {
    ...{ name: "nginx below a path", publicUrl: "http://proxy.test/outreach", isInstalled: nginx !== null },
    start: (server, port, folder) =>
      nginxWith(`server { listen 127.0.0.1:${port}; ${read("nginx-path.conf", server)} }`, folder),
  },
  {
    ...{ name: "nginx that keeps the path", publicUrl: "http://proxy.test/outreach", isInstalled: nginx !== null },
    start: (server, port, folder) => {
      const site = read("nginx-path.conf", server).replace(/(proxy_pass http:[^;]+)\/;/, "$1;");
      return nginxWith(`server { listen 127.0.0.1:${port}; ${site} }`, folder);
    },
  },
  {
    ...{ name: "Caddy", publicUrl: "http://proxy.test", isInstalled: caddy !== null },
    start: (server, port, folder) =>
      caddyWith(read("Caddyfile", server).replace(/^outreach\.example\.com/m, `http://:${port}`), folder),
  },
  {
    ...{ name: "Caddy below a path", publicUrl: "http://proxy.test/outreach", isInstalled: caddy !== null },
    start: (server, port, folder) =>
      caddyWith(read("Caddyfile-path", server).replace(/^example\.com/m, `http://:${port}`), folder),
  },
];

/** A client with an address of its own, which is neither that of the proxy nor that of the server. */
const clientAddress = "127.0.0.9";

function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: Uint8Array | string } = {},
) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { method = "GET", headers = {}, body } = options;
  const outgoing = send(url, { method, headers, localAddress: clientAddress, agent: false }, resolve).on(
    "error",
    reject,
  );
  outgoing.end(body);
  return promise;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe.each(proxies)("$name", ({ start, publicUrl, isInstalled }) => {
  const onLinux = test.skipIf(!isInstalled || process.platform !== "linux");
  const path = new URL(publicUrl).pathname.replace(/\/$/, "");
  let directory: Awaited<ReturnType<typeof createDirectory>>;
  let server: Awaited<ReturnType<typeof startServer>>;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let url: string;
  let key: Record<string, string>;

  beforeAll(async () => {
    if (!isInstalled) return;
    directory = await createDirectory();
    server = await startServer(join(directory.path, "data"), {
      env: { OUTREACHD_PUBLIC_URL: publicUrl, OUTREACHD_TRUSTED_PROXIES: "1", OUTREACHD_RATE_LIMIT_MINUTE: "0" },
    });
    key = { "x-api-key": server.firstRun!.key };
    proxy = await startProxy(directory.path, (port, folder) => start(server.url, port, folder));
    url = `http://127.0.0.1:${proxy.port}${path}`;
    await eventually("the server behind the proxy to respond", () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok || null,
        () => null,
      ),
    );
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
    await directory?.[Symbol.asyncDispose]();
  });

  onLinux("serves the dashboard, the guides, and the API reference with all their files", async () => {
    for (const page of ["/", "/app/leads", "/docs", "/docs/guides"]) {
      const text = await textOf(await ask(url + page));
      const urls = [...text.matchAll(/(?:src|href|data-url)="([^"]+)"/g)]
        .map(([, each = ""]) => each)
        .filter((each) => !/^(#|https?:\/\/nodejs)/.test(each));
      expect(urls.length).toBeGreaterThan(1);
      for (const each of urls) {
        expect(each).toStartWith(`${path}/`);
        const response = await ask(new URL(each, url).href);
        // The session is loaded ahead, also by somebody who is not signed in yet.
        expect(response.statusCode).toBe(each === `${path}/app/session` ? 401 : 200);
        response.resume();
      }
    }
  });

  onLinux("signs in with a cookie for its path", async () => {
    const headers = { "content-type": "application/json", "x-outreachd-page": "1", origin: new URL(url).origin };
    const body = JSON.stringify({ key: key["x-api-key"] });
    const response = await ask(`${url}/app/session`, { method: "POST", headers, body });
    expect(response.statusCode).toBe(200);
    const [cookie = ""] = response.headers["set-cookie"] ?? [];
    expect(cookie).toContain(`; Path=${path}/; `);
    const again = await ask(`${url}/api/v2/health`, { headers: { cookie: cookie.split(";")[0]! } });
    expect(again.statusCode).toBe(200);
  });

  onLinux("delivers events at once", async () => {
    const stream = await ask(`${url}/api/v2/events/stream`, { headers: key });
    expect(stream.statusCode).toBe(200);
    const seen = (async () => {
      let text = "";
      for await (const chunk of stream) {
        text += String(chunk);
        if (text.includes("lead.created")) return true;
      }
      return false;
    })();
    const headers = { ...key, "content-type": "application/json" };
    await ask(`${url}/api/v2/leads`, { method: "POST", headers, body: JSON.stringify({ email: "ada@example.com" }) });
    expect(await seen).toBe(true);
    stream.destroy();
  });

  onLinux("passes an upload of 50 MB through, and the Location of its job", async () => {
    const row = Buffer.from(
      `email,company,extra\n${Array.from({ length: 50 }, (_, n) => `${n}@example.com,Acme,${"x".repeat(1e6)}\n`).join("")}`,
    );
    expect(row.length).toBeGreaterThan(50e6);
    const headers = { ...key, "content-type": "text/csv", "content-length": String(row.length) };
    const response = await ask(`${url}/api/v2/leads/import?dryRun=true`, { method: "POST", headers, body: row });
    expect([response.statusCode, response.statusCode === 202 ? "" : await textOf(response)]).toEqual([202, ""]);
    expect(response.headers.location).toStartWith(`${path}/api/v2/users/jobs/`);
    const job = await ask(new URL(response.headers.location!, url).href, { headers: key });
    expect(job.statusCode).toBe(200);
  });

  onLinux("passes the client's address and request ID, and no forged address", async () => {
    const headers = {
      ...key,
      "content-type": "application/json",
      "x-request-id": "trace-17",
      "x-forwarded-for": "6.6.6.6",
    };
    const body = JSON.stringify({ name: "new", permissions: ["leads:read"] });
    const response = await ask(`${url}/api/v2/keys`, { method: "POST", headers, body });
    expect(response.headers["x-request-id"]).toBe("trace-17");
    const audit = await textOf(await ask(`${url}/api/v2/audit?action=key.created&limit=1`, { headers: key }));
    expect(audit).toContain(`"address":"${clientAddress}"`);
    expect(audit).toContain('"requestId":"trace-17"');
    expect((await ask(`${url}/healthz`)).headers["x-request-id"]).toMatch(/^[\w-]{20,}$/);
  });
});
