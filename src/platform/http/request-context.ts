import type { FieldError } from "../base/errors.ts";
import { ApiError } from "../base/errors.ts";
import type { Origin } from "../auth/audit/model.ts";
import { userAgentExcerpt } from "../auth/audit/entry.ts";
import type { Caller } from "../auth/caller.ts";
import type { UserId, WorkspaceId } from "../base/ids.ts";
import { clientAddress } from "./client-address.ts";
import type { KeyedRequest } from "./keyed-request.ts";

/** What a request needs to know about the server and the connection it arrived on. */
export type Connection = {
  publicUrl: string | null;
  trustedProxies: number;
  peerOf(request: Request): string;
  setIdleTimeout(request: Request, seconds: number): void;
  /** The body of a response ended early, after its status was sent. */
  onStreamError(context: RequestContext, error: unknown): void;
};

/** Status and headers of the response, which handlers may change. */
export type ResponseSettings = { status: number; headers: Record<string, string> };

/** Why a request failed. `thrown` differs from `error` if the server is at fault. */
export type Failure = { error: ApiError; thrown: unknown };

/** Everything about one request. The pipeline fills it in step by step and passes it to the handler. */
export class RequestContext {
  readonly request: Request;
  /** Template of the route, such as `/api/v2/leads/{leadId}`; null if no route matches. */
  readonly route: string | null;
  readonly path: string;
  readonly set: ResponseSettings = { status: 200, headers: {} };
  id = "";
  /** The API key that was sent; null if there is none. A session cookie is used only then. */
  readonly secret: string | null;
  params: unknown;
  query: unknown = {};
  body: unknown = undefined;
  /** Unknown fields and parameters that were ignored, reported in the response. */
  readonly warnings: FieldError[] = [];
  /** Workspace that the request acts for; "" on routes that act for none. */
  workspaceId: WorkspaceId = "";
  /** User that it acts for; null on routes that act for none, and if a global key names a workspace. */
  userId: UserId | null = null;
  /** Whether a session cookie authenticates the request, rather than an API key. */
  isPage = false;
  /** Throws once the caller may not go on; set for uploads, which can take long. */
  recheck: (() => Promise<void>) | null = null;
  /** State of a request with an Idempotency-Key. */
  keyed: KeyedRequest | null = null;
  failure: Failure | null = null;
  readonly #connection: Connection;
  readonly #outer: RequestContext | null;
  #caller: Caller | null = null;

  /** `outer` is the request on whose behalf this one is made, such as the call of an MCP tool. */
  constructor(
    request: Request,
    { route, params }: { route: string | null; params: Record<string, string> },
    connection: Connection,
    outer: RequestContext | null = null,
  ) {
    this.request = request;
    this.route = route;
    this.path = pathOf(request.url);
    this.params = params;
    this.secret = keyIn(request.headers);
    this.#connection = connection;
    this.#outer = outer;
  }

  /** Throws UNAUTHORIZED if the request did not have to authenticate. */
  get caller(): Caller {
    if (this.#caller === null) throw new ApiError("UNAUTHORIZED");
    return this.#caller;
  }

  set caller(caller: Caller) {
    this.#caller = caller;
  }

  get hasCaller(): boolean {
    return this.#caller !== null;
  }

  /** Address of the client, as far as trusted proxies vouch for it. */
  get address(): string {
    if (this.#outer !== null) return this.#outer.address;
    const peer = this.#connection.peerOf(this.request);
    return clientAddress(this.request, peer, this.#connection.trustedProxies);
  }

  /** URL at which the client reaches the server, without a trailing slash. */
  get baseUrl(): string {
    return this.#outer?.baseUrl ?? this.#connection.publicUrl ?? originOf(this.request.url);
  }

  get origin(): Origin {
    const userAgent = userAgentExcerpt(this.request.headers.get("user-agent"));
    return { requestId: this.id, address: this.address, userAgent };
  }

  /** Adds warnings about ignored fields, one per path. */
  warn(ignored: readonly FieldError[]): void {
    for (const { path, message } of ignored)
      if (this.warnings.every((warning) => warning.path !== path))
        this.warnings.push({ path, message: `Ignored. ${message}` });
  }

  /** Sets the seconds without traffic after which the connection is closed; 0 never closes it. */
  get setIdleTimeout(): (seconds: number) => void {
    return (seconds) => this.#connection.setIdleTimeout(this.request, seconds);
  }

  /** Reports that the body of the response ended early. */
  get onStreamError(): (error: unknown) => void {
    return (error) => this.#connection.onStreamError(this, error);
  }

  /** Aborts when the client disconnects, except for a request with an Idempotency-Key: its client returns for the response. */
  get signal(): AbortSignal {
    return this.keyed === null ? this.request.signal : new AbortController().signal;
  }
}

/** The API key in x-api-key, or else the bearer token in Authorization. */
function keyIn(headers: Headers): string | null {
  const key = headers.get("x-api-key")?.trim();
  return key ?? /^Bearer +(\S+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;
}

/** Path of an absolute URL without the query; cheaper than parsing it. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

/** "" for a request without a host, whose URL is only a path. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}

/** Success body of most routes (specification, "What the service does"). */
export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

/** Strong ETag (RFC 9110, section 8.8.3) of a resource with a version number. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** The versions in If-Match, strong tags only; null if every version matches (absent or `*`). */
export function versionsIn(ifMatch: string | null): number[] | null {
  if (ifMatch === null || ifMatch.trim() === "*") return null;
  return ifMatch.split(",").flatMap((tag) => {
    const [, version] = /^"(\d+)"$/.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

/** True if If-None-Match contains the current version, so that the response is 304. */
export function isUnchanged(ifNoneMatch: string | null, version: number): boolean {
  if (ifNoneMatch === null) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etagOf(version));
}
