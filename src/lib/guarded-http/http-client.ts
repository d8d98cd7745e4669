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
  /** GET unless said, or POST with a body. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** http or https, without credentials. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: HttpBody;
  /** For the whole: name look-up, connection, redirects, and the last byte of the answer. */
  timeoutMs: number;
  /** Of the answer's content, also after decompression. */
  maxBytes: number;
  /** How many redirects of a GET or HEAD are followed; 0 unless said. What else is redirected is answered as it is. */
  maxRedirects?: number;
  /** Takes the content of the answer piece by piece as it comes; the body of the outcome is empty then. */
  onContent?: ContentReader;
  signal?: AbortSignal;
};

/**
 * What came of a request; never an exception. `sent` false means that for sure no byte of it left, so that doing it
 * again repeats nothing.
 * answered: whatever the status. refused: by us, `reason` says why. timedOut, aborted, tooLarge: as the request's
 * limits and signal have it. unreachable: no such name, no connection, no trust (TLS), or no whole and valid answer.
 */
export type HttpOutcome =
  | { kind: "answered"; status: number; headers: Headers; body: Uint8Array; url: string }
  | { kind: "refused"; sent: boolean; reason: string }
  | { kind: "timedOut"; sent: boolean }
  | { kind: "aborted"; sent: boolean }
  | { kind: "tooLarge"; sent: true; status: number; headers: Headers }
  | { kind: "unreachable"; sent: boolean; reason: string };

export type HttpClient = { send(request: HttpRequest): Promise<HttpOutcome> };

/** `after` runs `call` in so many milliseconds, unless what it answers is called before. */
export type HttpTimer = { after(ms: number, call: () => void): () => void };

export type HttpWorld = {
  clock: HttpTimer;
  /** Who asks, for the header user-agent. */
  userAgent: string;
  resolve?: Resolve;
  /** Tests, which have no public address, say here what counts as one. */
  isPublic?: (address: string) => boolean;
  /**
   * Hosts, addresses and networks (CIDR) that may be private, for vendors that an operator runs in the own network.
   * Counts only for the origin that a request names, not for where it is redirected. Give such a client to adapters
   * with a base URL from the configuration, never to one that takes URLs from strangers.
   */
  allowPrivate?: readonly string[];
  /** Certificates (PEM) that are trusted, in the place of the system's. */
  ca?: string;
  /**
   * Keeps connections for so long for the next request to the same host; for who posts often. A request that finds its
   * kept connection closed is sent again over a new one, so it must be one that may be repeated.
   */
  keepAliveMs?: number;
};

const nothingPrivate: AllowedPrivate = { includes: () => false };

/**
 * The guarded way out, for every adapter: it speaks to public addresses only. Names are resolved here and the
 * connection goes to the very address that was checked, so that a name that resolves to another one a moment later
 * (DNS rebinding) gains nothing. Redirects are checked anew; what was meant for one origin never reaches another.
 * Throws a RangeError for an entry of `allowPrivate` that is neither a host nor a network.
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
  // Which brings Node's networks along, for those alone who need them.
  const allowed = allowPrivate.length === 0 ? nothingPrivate : allowedPrivate(allowPrivate);
  let wire: Promise<Wire> | null = null;
  async function openWire(): Promise<Wire> {
    // With the first request: it brings Node's own HTTP along, and a server may never call anybody.
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
  if (start === null) return { kind: "refused", sent: false, reason: "The URL can't be read" };

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

/** The addresses to connect to. One private address among several is enough to refuse: honest hosts have none. */
async function checkedAddresses(url: URL, mayBePrivate: boolean, way: Way): Promise<string[] | NotAllowed> {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { kind: "refused", reason: `The URL is of ${url.protocol}, not of http or https` };
  if (url.username || url.password) return { kind: "refused", reason: "The URL holds credentials" };
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

/** Where a GET or HEAD is to go on; null when it is not redirected, to no place that it could go to, or out of https. */
export function redirectOf(method: string, status: number, headers: Headers, from: URL): URL | null {
  const location = headers.get("location");
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  if (method !== "GET" && method !== "HEAD") return null;
  const next = URL.parse(location, from.href);
  const isDowngrade = from.protocol === "https:" && next?.protocol === "http:";
  return isDowngrade ? null : next;
}
