import { expect, test } from "bun:test";
import { createHttpClient } from "../../src/adapters/providers/http.ts";
import { type HttpRequest } from "../../src/lib/guarded-http/http-client.ts";
import { FakeClock } from "../support/clock.ts";
import { startRawPeer } from "../support/http-peer.ts";

const pieceBytes = 64 * 1024;

function request(url: string, onContent: HttpRequest["onContent"] & {}, more: Partial<HttpRequest> = {}) {
  const client = createHttpClient({ clock: new FakeClock(), allowPrivate: ["127.0.0.1"] });
  return client.send({ url, timeoutMs: 60_000, maxBytes: 100 * 2 ** 20, onContent, ...more });
}

/** Sends as many pieces as are taken, up to `pieces`, and tells how many it could hand to the system. */
function startSource(pieces: number) {
  let written = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            if (written === pieces) return controller.close();
            written++;
            controller.enqueue(new Uint8Array(pieceBytes));
          },
        }),
        { status: 207, headers: { "x-kind": "zeros" } },
      ),
  });
  const url = `http://127.0.0.1:${server.port}`;
  return { url, written: () => written, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("the content of an answer is handed on piece by piece, with its status and headers", async () => {
  await using source = startSource(4 * 960);
  let bytes = 0;
  const before = process.memoryUsage.rss();
  let peak = before;
  const maxBytes = 300 * 2 ** 20;
  const take: HttpRequest["onContent"] = async (chunk, { status, headers }) => {
    expect([status, headers.get("x-kind")]).toEqual([207, "zeros"]);
    bytes += chunk.byteLength;
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const outcome = await request(source.url, take, { maxBytes });
  expect(outcome).toMatchObject({ kind: "answered", status: 207, body: new Uint8Array(0) });
  expect(bytes).toBe(4 * 960 * pieceBytes);
  expect(peak - before).toBeLessThan(100 * 2 ** 20);
});

test("no more is read than is taken", async () => {
  await using source = startSource(960);
  const stop = new AbortController();
  let calls = 0;
  let tellCalled = (): void => {};
  const called = new Promise<void>((resolve) => {
    tellCalled = resolve;
  });
  const sending = request(
    source.url,
    () => {
      calls++;
      tellCalled();
      return new Promise(() => {});
    },
    { signal: stop.signal },
  );
  await called;
  // Whatever the system buffers on both sides is far less than the 60 MB of the answer.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toBe(1);
  expect(source.written()).toBeLessThan(480);
  stop.abort();
  expect(await sending).toEqual({ kind: "aborted", sent: true });
});

test("the limit of bytes holds for what is handed on as well", async () => {
  await using source = startSource(4 * 960);
  let bytes = 0;
  const take = async (chunk: Uint8Array) => void (bytes += chunk.byteLength);
  const outcome = await request(source.url, take, { maxBytes: 10 * pieceBytes });
  expect(outcome).toMatchObject({ kind: "tooLarge", sent: true, status: 207 });
  expect(bytes).toBeLessThanOrEqual(10 * pieceBytes);
});

test("content that breaks off is told by the outcome", async () => {
  await using peer = await startRawPeer(
    (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"),
  );
  let text = "";
  const outcome = await request(peer.url, async (chunk) => void (text += Buffer.from(chunk).toString()));
  expect(outcome).toMatchObject({ kind: "unreachable", sent: true });
  expect(text).toBe("half");
});
