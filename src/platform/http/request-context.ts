import type { Caller } from "../auth/caller.ts";
import { ApiError, type FieldError } from "../base/errors.ts";
import type { BodyDigest } from "./body.ts";
import type { KeyedExecution } from "./keyed-execution.ts";

/** Status and headers of a response, as routes set them. */
export type ResponseSettings = { headers: Record<string, string | number>; status?: number | string };

/** Why a request failed. `thrown` is the same error unless it is the server's fault. */
export type Failure = { error: ApiError; thrown: unknown };

/** Everything about one request, from its first byte to the log line of its response. */
export class RequestContext {
  readonly request: Request;
  /** The path of its route, as documents and metrics name it; null if no route takes the request. */
  readonly template: string | null;
  /** The client's request, if this one is made on its behalf by a tool. */
  readonly outer: RequestContext | null;
  /** Of the TCP connection; "local" within this process. */
  readonly peer: string;
  readonly startedAt = performance.now();
  /** Without the query. */
  readonly path: string;
  readonly set: ResponseSettings = { headers: {} };
  id = "";
  failure: Failure | null = null;
  /** What the response reports as ignored. */
  warnings: FieldError[] = [];
  /** Present if the hash of the body is needed: whoever reads the body feeds it. */
  digest: BodyDigest | null = null;
  /** Present if the request has an Idempotency-Key. */
  keyed: KeyedExecution | null = null;
  #caller: Caller | null = null;

  constructor(request: Request, template: string | null, peer: string, outer: RequestContext | null = null) {
    this.request = request;
    this.template = template;
    this.peer = peer;
    this.outer = outer;
    this.path = pathOf(request.url);
  }

  /** Who sent it. Throws UNAUTHORIZED if it did not have to show a key. */
  get caller(): Caller {
    if (this.#caller === null) throw new ApiError("UNAUTHORIZED");
    return this.#caller;
  }

  set caller(caller: Caller) {
    this.#caller = caller;
  }

  get knownCaller(): Caller | null {
    return this.#caller;
  }

  /** The request that came over the network. */
  get outermost(): RequestContext {
    return this.outer?.outermost ?? this;
  }

  /** Whether it failed by the server's fault, not by a refusal. */
  get isFault(): boolean {
    return this.failure !== null && this.failure.thrown !== this.failure.error;
  }

  /** Makes the response report what was ignored, each path once. */
  warn(ignored: readonly FieldError[]): void {
    for (const { path, message } of ignored)
      if (this.warnings.every((warning) => warning.path !== path))
        this.warnings.push({ path, message: `Ignored. ${message}` });
  }
}

/** Path of an absolute URL without its query; cheaper than parsing it. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}
