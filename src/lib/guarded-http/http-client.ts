import {
  allowedPrivate,
  isAddress,
  isPublicAddress,
  systemResolve,
  type AllowedPrivate,
  type Resolve,
} from "./http-address.ts";
import { payloadOf, type HttpBody } from "./http-body.ts";
import type { Connections, ContentReader, Exchange, ExchangeOutcome } from "./http-exchange.ts";

export type HttpRequest = {
  /** Default: GET, or POST with a body. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** http or https, without credentials. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: HttpBody;
  /** Timeout of the whole request: name resolution, connection, redirects, and the entire response. */
  timeoutMs: number;
  /** Limit for the content of the response, before and after decompression. */
  maxBytes: number;
  /** Maximum redirects of a GET or HEAD to follow. Default: 0. For other methods, the redirect is returned. */
  maxRedirects?: number;
  /** Receives the content of the response in chunks as it arrives; the body of the outcome is then empty. */
  onContent?: ContentReader;
  signal?: AbortSignal;
};

/**
 * The outcome of a request, which never throws. If `sent` is false, it is certain that no byte was sent, so a retry
 * repeats nothing. answered: with any status. refused: by this client, see `reason`. timedOut, aborted, tooLarge: by
 * the limits and signal of the request. unreachable: unknown name, no connection, no trust (TLS), or no complete and
 * valid response.
 */
export type HttpOutcome =
  | { kind: "answered"; status: number; headers: Headers; body: Uint8Array; url: string }
  | { kind: "refused"; sent: boolean; reason: string }
  | { kind: "timedOut"; sent: boolean }
  | { kind: "aborted"; sent: boolean }
  | { kind: "tooLarge"; sent: true; status: number; headers: Headers }
  | { kind: "unreachable"; sent: boolean; reason: string };

export type HttpClient = { send(request: HttpRequest): Promise<HttpOutcome> };

/** `after` runs `call` after the given milliseconds, unless the returned function is called first. */
export type HttpTimer = { after(ms: number, call: () => void): () => void };

export type HttpWorld = {
  clock: HttpTimer;
  /** Value of the User-Agent header. */
  userAgent: string;
  resolve?: Resolve;
  /** Lets tests, which have no public address, define what counts as one. */
  isPublic?: (address: string) => boolean;
  /**
   * Hosts, addresses, and networks (CIDR) that may be private, for services in the operator's own network. Applies only
   * to the origin of a request, not to redirects. Pass such a client to code with a configured base URL, never to code
   * that accepts URLs from untrusted input.
   */
  allowPrivate?: readonly string[];
  /** Trusted certificates (PEM), instead of the system's. */
  ca?: string;
  /**
   * How long to keep connections alive for the next request to the same host. If a kept-alive connection turns out to
   * be closed, the request is sent again over a new one, so it must be safe to repeat.
   */
  keepAliveMs?: number;
};

const nothingPrivate: AllowedPrivate = { includes: () => false };

/**
 * Creates an HTTP client that only connects to public addresses. It resolves names itself and connects to the address
 * that it checked, so a name that resolves to another address a moment later (DNS rebinding) has no effect. Redirects
 * are checked too, and credentials for one origin never reach another. Throws a RangeError for an entry of
 * `allowPrivate` that is neither a host nor a network.
 */
export function createGuardedClient(world: HttpWorld): HttpClient {
  const {
    clock,
    userAgent,
    resolve = systemResolve,
    isPublic = isPublicAddress,
    allowPrivate = [],
    ca,
    keepAliveMs,
  } = world;
  // Loads Node's networking, only if it is needed.
  const allowed = allowPrivate.length === 0 ? nothingPrivate : allowedPrivate(allowPrivate);
  let wire: Promise<Wire> | null = null;
  async function openWire(): Promise<Wire> {
    // Loaded with the first request: it loads Node's HTTP, and a server may never send a request.
    const { exchange, keptConnections } = await import("./http-exchange.ts");
    const connections = keepAliveMs === undefined ? undefined : keptConnections(keepAliveMs);
    return { exchange, connections, allowed };
  }
  return {
    async send(request) {
      const stop = new AbortController();
      let end: "timedOut" | "aborted" = "timedOut";
      const abort = (): void => {
        end = "aborted";
        stop.abort();
      };
      const cancelTimer = clock.after(request.timeoutMs, () => stop.abort());
      request.signal?.addEventListener("abort", abort);
      if (request.signal?.aborted) abort();
      try {
        const way = { ...(await (wire ??= openWire())), userAgent, resolve, isPublic, ca, signal: stop.signal };
        const outcome = await follow(request, way);
        return outcome.kind === "stopped" ? { kind: end, sent: outcome.sent } : outcome;
      } finally {
        cancelTimer();
        request.signal?.removeEventListener("abort", abort);
      }
    },
  };
}

type Wire = {
  exchange: (request: Exchange) => Promise<ExchangeOutcome>;
  allowed: AllowedPrivate;
  connections: Connections | undefined;
};
type Way = Wire & {
  userAgent: string;
  resolve: Resolve;
  isPublic: (address: string) => boolean;
  ca: string | undefined;
  signal: AbortSignal;
};
type Stopped = Extract<ExchangeOutcome, { kind: "stopped" }>;

async function follow(request: HttpRequest, way: Way): Promise<HttpOutcome | Stopped> {
  const { method = request.body === undefined ? "GET" : "POST", maxBytes, maxRedirects = 0, onContent } = request;
  const { headers: described, content } = payloadOf(request.body);
  const commonHeaders = headersOfAll(way.userAgent);
  const ownHeaders = { ...commonHeaders, ...lowerCased(request.headers), ...described };
  const start = URL.parse(request.url);
  if (start === null) return { kind: "refused", sent: false, reason: "The URL is invalid" };

  let url = start;
  let hasLeft = false;
  for (let hop = 0; ; hop++) {
    const sent = hop > 0;
    const addresses = await checkedAddresses(url, !hasLeft, way);
    if (!Array.isArray(addresses)) return { ...addresses, sent };
    const headers = hasLeft ? commonHeaders : ownHeaders;
    const outcome = await way.exchange({ ...way, method, url, headers, content, addresses, maxBytes, onContent });
    if (outcome.kind !== "answered") return outcome.kind === "tooLarge" ? outcome : withSent(outcome, sent);
    const next =
      maxRedirects === 0 || content !== null ? null : redirectOf(method, outcome.status, outcome.headers, url);
    if (next === null) return { ...outcome, url: url.href };
    if (hop === maxRedirects) return { kind: "refused", sent: true, reason: `More than ${maxRedirects} redirects` };
    hasLeft ||= next.origin !== start.origin;
    url = next;
  }
}

function headersOfAll(userAgent: string): Record<string, string> {
  return { "user-agent": userAgent, accept: "*/*", "accept-encoding": "gzip, deflate, br" };
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function withSent<T extends { sent: boolean }>(outcome: T, sent: boolean): T {
  return { ...outcome, sent: sent || outcome.sent };
}

type NotAllowed = { kind: "refused"; reason: string } | { kind: "unreachable"; reason: string } | { kind: "stopped" };

/**
 * Returns the addresses to connect to. A single private address among several is rejected: legitimate hosts have none.
 */
async function checkedAddresses(url: URL, mayBePrivate: boolean, way: Way): Promise<string[] | NotAllowed> {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { kind: "refused", reason: `Expected an http or https URL, got ${url.protocol}` };
  if (url.username || url.password) return { kind: "refused", reason: "The URL contains credentials" };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isAddress(host) ? [host] : await resolved(host, way);
  if (!Array.isArray(addresses)) return addresses;
  const isAllowed = (address: string) => way.isPublic(address) || (mayBePrivate && way.allowed.includes(host, address));
  if (addresses.every(isAllowed)) return addresses;
  return { kind: "refused", reason: `${host} has an address that is not public` };
}

async function resolved(host: string, { resolve, signal }: Way): Promise<string[] | NotAllowed> {
  const stopped = new Promise<null>((settle) => {
    if (signal.aborted) settle(null);
    signal.addEventListener("abort", () => settle(null));
  });
  try {
    const addresses = await Promise.race([stopped, resolve(host)]);
    if (addresses === null) return { kind: "stopped" };
    return addresses.length > 0 ? addresses : { kind: "unreachable", reason: `${host} has no address` };
  } catch {
    return { kind: "unreachable", reason: `${host} has no address` };
  }
}

/**
 * Returns the target of a redirected GET or HEAD; null if it is not redirected, the target is invalid, or it leaves
 * https.
 */
export function redirectOf(method: string, status: number, headers: Headers, from: URL): URL | null {
  const location = headers.get("location");
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  if (method !== "GET" && method !== "HEAD") return null;
  const next = URL.parse(location, from.href);
  const isDowngrade = from.protocol === "https:" && next?.protocol === "http:";
  return isDowngrade ? null : next;
}
