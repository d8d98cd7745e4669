import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { type HttpOutcome, type HttpRequest } from "../../src/lib/guarded-http/http-client.ts";
import { FakeClock } from "../support/clock.ts";
import { startRawPeer, vendorCertificate } from "../support/http-peer.ts";

const loopback = ["127.0.0.1"];
const limits = { timeoutMs: 5000, maxBytes: 100_000 };

/** A client whose names all lead to this machine, and which may go there by the address but not by a name. */
function clientFor(overrides: Partial<Parameters<typeof createHttpClient>[0]> = {}) {
  const clock = new FakeClock();
  const client = createHttpClient({ clock, resolve: async () => loopback, allowPrivate: loopback, ...overrides });
  return { clock, send: (request: Partial<HttpRequest> & { url: string }) => client.send({ ...limits, ...request }) };
}

async function startWeb(answer: (request: Request) => Response | Promise<Response>, tls = false) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: answer,
    ...(tls && { tls: vendorCertificate }),
  });
  return {
    port: server.port,
    url: `http://127.0.0.1:${server.port}`,
    addressOf: (request: Request) => server.requestIP(request)?.port,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function textOf(outcome: HttpOutcome): string {
  if (outcome.kind !== "answered") throw new Error(`Expected an answer, got ${JSON.stringify(outcome)}`);
  return Buffer.from(outcome.body).toString();
}

const endsWith = (text: string) => (socket: Socket) => void socket.end(text);

describe("a request", () => {
  test("carries method, headers and body, and comes back with status, headers and body", async () => {
    await using web = await startWeb(async (request) => {
      const seen = [request.method, new URL(request.url).search, request.headers.get("x-key"), await request.text()];
      return new Response(seen.join(" "), { status: 422, headers: { "x-more": "yes" } });
    });
    const outcome = await clientFor().send({
      url: `${web.url}/path?q=a%20b`,
      headers: { "X-Key": "secret" },
      body: { json: { a: 1 } },
    });
    expect(outcome).toMatchObject({ kind: "answered", status: 422, url: `${web.url}/path?q=a%20b` });
    expect(textOf(outcome)).toBe('POST ?q=a%20b secret {"a":1}');
    expect(outcome.kind === "answered" && outcome.headers.get("x-more")).toBe("yes");
  });

  test.each<[string, HttpRequest["body"], string]>([
    ["a form", { form: { a: "1 2", b: "ä" } }, "application/x-www-form-urlencoded;charset=UTF-8|a=1+2&b=%C3%A4"],
    ["bytes", { bytes: new Uint8Array([65, 66]), type: "audio/wav" }, "audio/wav|AB"],
    ["a stream", { stream: chunks("one", "two"), type: "text/plain" }, "text/plain|onetwo"],
    ["a stream of known length", { stream: chunks("one", "two"), type: "text/plain", length: 6 }, "text/plain|onetwo"],
  ])("carries %s", async (_name, body, expected) => {
    await using web = await startWeb(
      async (request) => new Response(`${request.headers.get("content-type")}|${await request.text()}`),
    );
    expect(textOf(await clientFor().send({ url: web.url, body: body! }))).toBe(expected);
  });

  test("carries a multipart form with a file", async () => {
    await using web = await startWeb(async (request) => {
      const form = await request.formData();
      const file = form.get("file") as File;
      return new Response(`${form.get("name") as string} ${file.name} ${await file.text()}`);
    });
    const multipart = new FormData();
    multipart.set("name", "Ada");
    multipart.set("file", new File(["sound"], "a.wav"));
    expect(textOf(await clientFor().send({ url: web.url, body: { multipart } }))).toBe("Ada a.wav sound");
  });

  test("streams a body of 120 MB without holding it", async () => {
    let bytes = 0;
    await using web = await startWeb(async (request) => {
      for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.byteLength;
      return new Response("ok");
    });
    const before = process.memoryUsage.rss();
    let peak = before;
    async function* large() {
      const chunk = new Uint8Array(64 * 1024);
      for (let sent = 0; sent < 2 * 960; sent++) {
        peak = Math.max(peak, process.memoryUsage.rss());
        yield chunk;
      }
    }
    const outcome = await clientFor().send({ url: web.url, body: { stream: large(), type: "x/y" }, timeoutMs: 60_000 });
    expect(textOf(outcome)).toBe("ok");
    expect(bytes).toBe(2 * 960 * 64 * 1024);
    expect(peak - before).toBeLessThan(90 * 2 ** 20);
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("reads an answer in %s", async (encoding, compress) => {
    await using web = await startWeb(
      () => new Response(compress("hello ".repeat(100)), { headers: { "content-encoding": encoding } }),
    );
    expect(textOf(await clientFor().send({ url: web.url }))).toBe("hello ".repeat(100));
  });

  test("answers an empty body, also one that claims to be compressed", async () => {
    await using peer = await startRawPeer(endsWith("HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n"));
    const outcome = await clientFor().send({ url: peer.url });
    expect(outcome).toMatchObject({ kind: "answered", status: 204 });
    expect(textOf(outcome)).toBe("");
  });

  test("speaks TLS with the name of the URL, to the address that was checked", async () => {
    await using web = await startWeb((request) => new Response(request.headers.get("host")), true);
    const { send } = clientFor({ allowPrivate: ["vendor.test"], ca: vendorCertificate.cert });
    const outcome = await send({ url: `https://vendor.test:${web.port}/` });
    expect(textOf(outcome)).toBe(`vendor.test:${web.port}`);
  });

  test.each([
    ["a certificate for another name", "other.test", vendorCertificate.cert],
    ["a certificate that nobody vouches for", "vendor.test", undefined],
  ])("is not sent to a host with %s", async (_name, host, ca) => {
    let asked = 0;
    await using web = await startWeb(() => new Response(String(++asked)), true);
    const { send } = clientFor({ allowPrivate: [host], ...(ca && { ca }) });
    const outcome = await send({ url: `https://${host}:${web.port}/`, body: { json: 1 } });
    expect(outcome).toMatchObject({ kind: "unreachable", sent: false });
    expect(asked).toBe(0);
  });
});

describe("addresses that are not public", () => {
  test.each([
    "http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://2130706433:PORT/", "http://0x7f.1:PORT/",
    "http://[::1]:PORT/", "http://[::ffff:127.0.0.1]:PORT/", "http://[64:ff9b::7f00:1]:PORT/", "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data", "http://100.64.0.1/", "http://0.0.0.0:PORT/", "http://224.0.0.1/",
    "ftp://example.com/", "file:///etc/passwd", "http://user:secret@example.com/", "no URL",
  ])("%s is refused before anything is sent", async (url) => {
    await using peer = await startRawPeer(endsWith("HTTP/1.1 200 OK\r\n\r\n"));
    const { send } = clientFor({ allowPrivate: [] });
    const outcome = await send({ url: url.replace("PORT", String(peer.port)) });
    expect(outcome).toMatchObject({ kind: "refused", sent: false });
    expect(peer.received).toEqual([]);
  }); // prettier-ignore

  test("a name with one private address among public ones is refused", async () => {
    const { send } = clientFor({ resolve: async () => ["93.184.216.34", "10.0.0.7"] });
    expect(await send({ url: "http://vendor.test/" })).toMatchObject({ kind: "refused", sent: false });
  });

  test("a name is looked up once, so that a second, private answer gains nothing", async () => {
    await using peer = await startRawPeer(endsWith("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    const answers = [["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]];
    let asked = 0;
    const { send, clock } = clientFor({ resolve: async () => answers[asked++]!, allowPrivate: [] });
    const sending = send({ url: `http://rebind.test:${peer.port}/` });
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(limits.timeoutMs);
    // Whether the public address takes, refuses or drops the connection depends on where this test runs.
    expect(["timedOut", "unreachable", "answered"]).toContain((await sending).kind);
    expect(asked).toBe(1);
    expect(peer.received).toEqual([]);
  });
});

describe("redirects", () => {
  const redirectTo = (location: string, status = 302) =>
    endsWith(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);

  test("are answered as they are unless asked for", async () => {
    await using peer = await startRawPeer(redirectTo("/next"));
    expect(await clientFor().send({ url: peer.url })).toMatchObject({ kind: "answered", status: 302 });
  });

  test("are followed within the origin, with all headers", async () => {
    await using web = await startWeb((request) =>
      new URL(request.url).pathname === "/end"
        ? new Response(request.headers.get("authorization"))
        : Response.redirect("/end", 301),
    );
    const outcome = await clientFor().send({ url: web.url, headers: { authorization: "Bearer x" }, maxRedirects: 1 });
    expect(textOf(outcome)).toBe("Bearer x");
    expect(outcome).toMatchObject({ url: `${web.url}/end` });
  });

  test("lead to no private address, even where the first host may be private", async () => {
    await using secret = await startRawPeer(endsWith("HTTP/1.1 200 OK\r\n\r\n"));
    await using peer = await startRawPeer(redirectTo(secret.url));
    const outcome = await clientFor().send({ url: peer.url, maxRedirects: 3 });
    expect(outcome).toMatchObject({ kind: "refused", sent: true });
    expect(secret.received).toEqual([]);
  });

  test("carry no secret to another origin, nor back to the first", async () => {
    await using web = await startWeb((request) => {
      const { host, pathname } = new URL(request.url);
      seen.push(`${host.split(".")[0]}${pathname} ${request.headers.get("x-api-key")}`);
      if (pathname === "/1") return Response.redirect(`http://second.test:${web.port}/2`);
      return pathname === "/2" ? Response.redirect(`http://first.test:${web.port}/3`) : new Response("end");
    });
    const seen: string[] = [];
    const { send } = clientFor({ isPublic: () => true });
    const headers = { "X-API-Key": "secret" };
    expect(textOf(await send({ url: `http://first.test:${web.port}/1`, headers, maxRedirects: 3 }))).toBe("end");
    expect(seen).toEqual(["first/1 secret", "second/2 null", "first/3 null"]);
  });

  test("do not lead from https to http", async () => {
    let port = 0;
    await using web = await startWeb(() => Response.redirect(`http://vendor.test:${port}/`), true);
    port = web.port ?? 0;
    const { send } = clientFor({ isPublic: () => true, ca: vendorCertificate.cert });
    const outcome = await send({ url: `https://vendor.test:${port}/`, maxRedirects: 3 });
    expect(outcome).toMatchObject({ kind: "answered", status: 302 });
  });

  test("end after as many as are allowed", async () => {
    await using peer = await startRawPeer(redirectTo("/again"));
    const outcome = await clientFor().send({ url: peer.url, maxRedirects: 3 });
    expect(outcome).toMatchObject({ kind: "refused", sent: true, reason: "More than 3 redirects" });
    expect(peer.received).toHaveLength(4);
  });

  test("of a POST are answered as they are, so that nothing is sent twice", async () => {
    await using peer = await startRawPeer(redirectTo("/again", 307));
    const outcome = await clientFor().send({ url: peer.url, body: { json: 1 }, maxRedirects: 3 });
    expect(outcome).toMatchObject({ kind: "answered", status: 307 });
    expect(peer.received).toHaveLength(1);
  });

  test.each(["mailto:a@b.c", "http://[bad", "javascript:alert(1)"])("to %s go nowhere", async (location) => {
    await using peer = await startRawPeer(redirectTo(location));
    const outcome = await clientFor().send({ url: peer.url, maxRedirects: 3 });
    expect(["answered", "refused"]).toContain(outcome.kind);
    expect(peer.received).toHaveLength(1);
  });
});

describe("time", () => {
  test("a host that takes the request and never answers is given up, and it was sent", async () => {
    await using peer = await startRawPeer();
    const { clock, send } = clientFor();
    const sending = send({ url: peer.url, body: { json: { once: true } } });
    await peer.hasSent('{"once":true}');
    clock.advance(limits.timeoutMs);
    expect(await sending).toEqual({ kind: "timedOut", sent: true });
  });

  test("the limit is for the whole: one that drips its answer is given up as well", async () => {
    await using peer = await startRawPeer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      socket.write("x");
    });
    const { clock, send } = clientFor();
    const sending = send({ url: peer.url });
    await peer.hasSent("\r\n\r\n");
    clock.advance(limits.timeoutMs - 1);
    expect(await Promise.race([sending, Promise.resolve("still waiting")])).toBe("still waiting");
    clock.advance(1);
    expect(await sending).toEqual({ kind: "timedOut", sent: true });
  });

  test("a name that is never resolved is given up, and nothing was sent", async () => {
    const { clock, send } = clientFor({ resolve: () => new Promise(() => {}) });
    const sending = send({ url: "http://vendor.test/" });
    clock.advance(limits.timeoutMs);
    expect(await sending).toEqual({ kind: "timedOut", sent: false });
  });

  test("a host that never ends its TLS handshake is given up, and nothing was sent", async () => {
    await using peer = await startRawPeer();
    const { clock, send } = clientFor();
    const sending = send({ url: `https://127.0.0.1:${peer.port}/`, body: { json: "secret" } });
    await peer.hasSent("\u0016\u0003"); // the client's first TLS record
    clock.advance(limits.timeoutMs);
    expect(await sending).toEqual({ kind: "timedOut", sent: false });
    expect(peer.received.join()).not.toContain("secret");
  });

  test("the caller can give up before and meanwhile", async () => {
    await using peer = await startRawPeer();
    const { send } = clientFor();
    expect(await send({ url: peer.url, signal: AbortSignal.abort() })).toEqual({ kind: "aborted", sent: false });
    const abort = new AbortController();
    const sending = send({ url: peer.url, signal: abort.signal });
    await peer.hasSent("\r\n\r\n");
    abort.abort();
    expect(await sending).toEqual({ kind: "aborted", sent: true });
  });

  test("a request that has ended leaves no timer behind", async () => {
    await using web = await startWeb(() => new Response("ok"));
    const { clock, send } = clientFor();
    await send({ url: web.url });
    expect(clock.pending).toEqual([]);
  });
});

describe("size", () => {
  test("an answer that announces more than the limit is not read", async () => {
    await using peer = await startRawPeer(
      (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 209715200\r\n\r\n"),
    );
    expect(await clientFor().send({ url: peer.url })).toMatchObject({ kind: "tooLarge", sent: true, status: 200 });
  });

  test("200 MB that nobody announced are given up at the limit", async () => {
    let written = 0;
    await using web = await startWeb(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              written += 65_536;
              controller.enqueue(new Uint8Array(65_536));
              if (written >= 200 * 2 ** 20) controller.close();
            },
          }),
        ),
    );
    expect(await clientFor().send({ url: web.url })).toMatchObject({ kind: "tooLarge", sent: true, status: 200 });
    expect(written).toBeLessThan(20 * 2 ** 20);
  });

  test("a compressed answer counts as what it unpacks to", async () => {
    const bomb = gzipSync(new Uint8Array(50 * 2 ** 20));
    expect(bomb.byteLength).toBeLessThan(limits.maxBytes);
    await using web = await startWeb(() => new Response(bomb, { headers: { "content-encoding": "gzip" } }));
    expect(await clientFor().send({ url: web.url })).toMatchObject({ kind: "tooLarge", sent: true, status: 200 });
  });

  test("an answer of exactly the limit is whole", async () => {
    await using web = await startWeb(() => new Response("x".repeat(limits.maxBytes)));
    expect(textOf(await clientFor().send({ url: web.url }))).toHaveLength(limits.maxBytes);
  });

  test("headers without end are given up", async () => {
    await using peer = await startRawPeer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      for (let line = 0; line < 2000; line++) socket.write(`x-${line}: ${"y".repeat(500)}\r\n`);
    });
    expect(await clientFor().send({ url: peer.url })).toMatchObject({ kind: "unreachable", sent: true });
  });
});

describe("broken peers", () => {
  test("nobody listens: nothing was sent", async () => {
    const peer = await startRawPeer();
    await peer[Symbol.asyncDispose]();
    expect(await clientFor().send({ url: peer.url })).toMatchObject({ kind: "unreachable", sent: false });
  });

  test("a name without an address: nothing was sent", async () => {
    const { send } = clientFor({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    expect(await send({ url: "http://vendor.test/" })).toEqual({
      kind: "unreachable",
      sent: false,
      reason: "vendor.test has no address",
    });
  });

  test.each<[string, (socket: Socket) => void]>([
    ["closes without an answer", (socket) => void socket.end()],
    ["resets without an answer", (socket) => void socket.resetAndDestroy()],
    ["speaks another protocol", endsWith("SSH-2.0-OpenSSH_9\r\n")],
    ["ends in the middle of the body", endsWith("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")],
    ["ends in the middle of a chunk", endsWith("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\nhalf")],
    [
      "claims gzip and sends text",
      endsWith("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\ntext"),
    ],
    ["uses an encoding that nobody asked for", endsWith("HTTP/1.1 200 OK\r\ncontent-encoding: aes\r\n\r\ntext")],
    [
      "frames the answer in two ways at once",
      endsWith("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
    ],
  ])("a host that %s is unreachable, and it may have got the request", async (_name, onRequest) => {
    await using peer = await startRawPeer(onRequest);
    const outcome = await clientFor().send({ url: peer.url, body: { json: 1 } });
    expect(outcome).toMatchObject({ kind: "unreachable", sent: true });
  });

  test("a connection that is reset in the middle of the body leaves no half answer", async () => {
    await using peer = await startRawPeer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", () => socket.resetAndDestroy());
    });
    expect(await clientFor().send({ url: peer.url })).toMatchObject({ kind: "unreachable", sent: true });
  });

  test("a header that would smuggle another one is not sent", async () => {
    await using peer = await startRawPeer();
    const outcome = await clientFor().send({ url: peer.url, headers: { "x-key": "a\r\nx-admin: yes" } });
    expect(outcome).toMatchObject({ kind: "unreachable", sent: false });
    expect(peer.received.join("")).toBe("");
  });

  test("the next address is tried when the first does not take the connection", async () => {
    await using web = await startWeb(() => new Response("second"));
    const { send } = clientFor({ resolve: async () => ["127.0.0.2", "127.0.0.1"], allowPrivate: ["vendor.test"] });
    expect(textOf(await send({ url: `http://vendor.test:${web.port}/` }))).toBe("second");
  });
});

describe("kept connections", () => {
  const post = (url: string) => ({ url, body: { bytes: "{}", type: "application/json" } });

  test("carry one request after the other to the same host", async () => {
    const peers = new Set<string>();
    await using web = await startWeb((request) => {
      peers.add(`${web.addressOf(request)}`);
      return new Response("ok");
    });
    const { send } = clientFor({ keepAliveMs: 4000 });
    for (let n = 0; n < 5; n++) expect(textOf(await send(post(web.url)))).toBe("ok");
    expect(peers.size).toBe(1);
  });

  test("that the other end has closed are replaced without a word", async () => {
    let requests = 0;
    await using peer = await startRawPeer((socket) => {
      requests++;
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      // Whatever comes next on this connection finds it closed.
      socket.on("data", () => socket.resetAndDestroy());
    });
    const { send } = clientFor({ keepAliveMs: 4000 });
    for (let n = 0; n < 3; n++) expect(textOf(await send(post(peer.url)))).toBe("ok");
    expect(requests).toBeGreaterThan(1);
  });

  test("are not kept when their answer was not taken to its end", async () => {
    let requests = 0;
    await using peer = await startRawPeer((socket) => {
      requests++;
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${requests === 1 ? 200_000 : 2}\r\n\r\nok`);
    });
    const { send } = clientFor({ keepAliveMs: 4000 });
    expect(await send(post(peer.url))).toMatchObject({ kind: "tooLarge", status: 200 });
    expect(textOf(await send(post(peer.url)))).toBe("ok");
    expect(requests).toBe(2);
  });

  test("do not lead around the check of an address", async () => {
    await using web = await startWeb(() => new Response("ok"));
    const names = ["own.test"];
    const client = clientFor({ keepAliveMs: 4000, allowPrivate: names });
    expect(textOf(await client.send(post(`http://own.test:${web.port}/`)))).toBe("ok");
    expect(await client.send(post(`http://other.test:${web.port}/`))).toMatchObject({ kind: "refused", sent: false });
  });
});

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
