import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, isIPv6, type LookupFunction, type Socket } from "node:net";
import { pipeline, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Payload } from "./http-body.ts";

/** Receives a chunk of a response with this status and these headers. Reading continues once it resolves. */
export type ContentReader = (chunk: Uint8Array, answer: { status: number; headers: Headers }) => Promise<void>;

export type Exchange = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  content: Payload["content"];
  /** The checked addresses of the host; the connection goes to one of them. */
  addresses: readonly string[];
  maxBytes: number;
  onContent?: ContentReader | undefined;
  /** Aborted on timeout, or by the caller. */
  signal: AbortSignal;
  /** Trusted certificates (PEM), instead of the system's. */
  ca?: string;
  /** Connections that are kept alive for the next request to the same host. Default: a new one per request. */
  connections?: Connections | undefined;
};

export type Connections = { http: HttpAgent; https: HttpsAgent };

/** Connections stay open for `idleMs` after their request. Their addresses were checked when they were opened. */
export function keptConnections(idleMs: number): Connections {
  const options = { keepAlive: true, timeout: idleMs, maxFreeSockets: 32 };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

/** `sent` false: no byte of the request was sent, because the connection was never established. */
export type ExchangeOutcome =
  | { kind: "answered"; status: number; headers: Headers; body: Uint8Array }
  | { kind: "tooLarge"; sent: true; status: number; headers: Headers }
  | { kind: "unreachable"; sent: boolean; reason: string }
  | { kind: "stopped"; sent: boolean };

/**
 * Sends a request and reads its response. Uses node:http, because only it shows when the connection is established,
 * lets the caller choose the address, and applies backpressure to the response.
 */
export async function exchange(request: Exchange): Promise<ExchangeOutcome> {
  const { signal } = request;
  let sent = false;
  let isDone = false;
  let outgoing: ClientRequest | null = null;
  try {
    if (signal.aborted) return { kind: "stopped", sent };
    const outcome = await new Promise<ExchangeOutcome>((settle, fail) => {
      signal.addEventListener("abort", () => settle({ kind: "stopped", sent }));
      outgoing = open(request);
      outgoing.on("error", fail);
      outgoing.on("response", (message) => void answerOf(message, request).then(settle, fail));
      outgoing.on("socket", (socket) => {
        // Nothing is written before, so it is certain what was never sent.
        const begin = (): void => {
          sent = true;
          void write(outgoing!, socket, request.content).catch(fail);
        };
        if (outgoing!.reusedSocket) begin();
        else socket.once(request.url.protocol === "https:" ? "secureConnect" : "connect", begin);
      });
    });
    isDone = outcome.kind === "answered";
    return outcome;
  } catch (error) {
    // The peer closed the idle connection just as it was reused. Streams cannot be read a second time.
    const wasStale =
      (outgoing as ClientRequest | null)?.reusedSocket && !(request.content && isStream(request.content));
    if (wasStale && !signal.aborted) return await exchange({ ...request, connections: undefined });
    return { kind: "unreachable", sent, reason: error instanceof Error ? error.message : String(error) };
  } finally {
    // Kept-alive connections must not be closed.
    if (!isDone || request.connections === undefined) (outgoing as ClientRequest | null)?.destroy();
  }
}

function isStream(content: NonNullable<Payload["content"]>): boolean {
  return !(content instanceof Uint8Array);
}

function open({ method, url, headers, addresses, ca, connections }: Exchange): ClientRequest {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isSecure = url.protocol === "https:";
  const send = isSecure ? requestHttps : requestHttp;
  return send({
    method,
    host,
    port: url.port || (isSecure ? 443 : 80),
    path: url.pathname + url.search,
    headers,
    agent: connections?.[isSecure ? "https" : "http"] ?? false,
    lookup: pinnedTo(addresses),
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
  });
}

/** Returns the checked addresses, so that a changed DNS record has no effect. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const list = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, { all }, answer) => {
    if (all) answer(null, list);
    else answer(null, list[0]!.address, list[0]!.family);
  };
}

async function write(outgoing: ClientRequest, socket: Socket, content: Payload["content"]): Promise<void> {
  if (content === null || content instanceof Uint8Array) return void outgoing.end(content ?? undefined);
  for await (const chunk of content) {
    if (outgoing.destroyed || outgoing.writableEnded) return;
    if (!outgoing.write(chunk)) await drained(outgoing, socket);
  }
  outgoing.end();
}

function drained(outgoing: ClientRequest, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    socket.on("close", done);
  });
}

/** The compressed size may exceed the limit by this much: framing of data that decompresses to very little. */
const compressionSlack = 4096;

async function answerOf(message: IncomingMessage, { maxBytes, onContent }: Exchange): Promise<ExchangeOutcome> {
  const status = message.statusCode ?? 0;
  const headers = headersOf(message);
  const tooLarge = { kind: "tooLarge", sent: true, status, headers } as const;
  if (Number(message.headers["content-length"]) > maxBytes + compressionSlack) return tooLarge;
  let size = 0;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of contentOf(message, maxBytes + compressionSlack)) {
      size += chunk.byteLength;
      if (size > maxBytes) return tooLarge;
      if (onContent) await onContent(chunk, { status, headers });
      else chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof TooManyBytes) return tooLarge;
    throw error;
  }
  return { kind: "answered", status, headers, body: Buffer.concat(chunks) };
}

/** Decodes the Content-Encoding. Fails with `TooManyBytes` if more than `maxRawBytes` are received. */
function contentOf(message: IncomingMessage, maxRawBytes: number): AsyncIterable<Uint8Array> {
  const decoders = decodersOf(message);
  // Uncompressed content is counted by the reader; a pipeline would take more time than the rest of a request.
  if (decoders.length === 0) return message as AsyncIterable<Uint8Array>;
  const steps = [byteLimit(maxRawBytes), ...decoders];
  // Errors reach the reader through the last step, which pipeline destroys with them.
  return pipeline([message, ...steps], () => {}) as unknown as AsyncIterable<Uint8Array>;
}

class TooManyBytes extends Error {}

function byteLimit(maxBytes: number): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      passed += chunk.byteLength;
      if (passed > maxBytes) done(new TooManyBytes());
      else done(null, chunk);
    },
  });
}

function decodersOf({ headers, statusCode = 0 }: IncomingMessage): Transform[] {
  const isEmpty = statusCode === 204 || statusCode === 304 || headers["content-length"] === "0";
  const encoding = isEmpty ? "identity" : (headers["content-encoding"]?.trim().toLowerCase() ?? "identity");
  switch (encoding) {
    case "":
    case "identity":
      return [];
    case "gzip":
    case "x-gzip":
      return [createGunzip()];
    case "deflate":
      return [createInflate()];
    case "br":
      return [createBrotliDecompress()];
    default:
      throw new Error(`The response has the content encoding "${encoding.slice(0, 40)}", which was not requested`);
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}
