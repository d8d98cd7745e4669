import { ApiError } from "../base/errors.ts";
import { isoTime, type Clock } from "../base/clock.ts";
import { diskFaultOf } from "../base/disk-fault.ts";
import { WrongKeyKind } from "../auth/access.ts";
import type { Caller } from "../auth/caller.ts";
import { errorBody } from "./error-body.ts";
import type { RequestContext } from "./request-context.ts";
import { hasSessionCookie } from "./session-cookie.ts";

export type RefusalParts = {
  clock: Clock;
  /** Called with every error that the server is at fault for. */
  onFault: (error: unknown) => void;
  /** Called if a global key is used where only a user-specific key is accepted. */
  onGlobalRefused: (caller: Caller, path: string) => void;
};

/** Headers that describe a successful response and do not apply to an error. */
const successHeaders = [
  ...["content-type", "content-length", "content-disposition"],
  ...["etag", "location", "preference-applied", "retry-after"],
];

/** Freeing disk space takes a while, so retrying every second would only add to the load. */
const diskRetrySeconds = 30;
/** A database that fails over is back within half a minute. */
const failoverRetrySeconds = 5;

/** Turns errors into responses; nothing else does. */
export class Refusals {
  readonly #parts: RefusalParts;

  constructor(parts: RefusalParts) {
    this.#parts = parts;
  }

  /** The response to a request that failed with `thrown`. */
  render(context: RequestContext, thrown: unknown): Response {
    const { onFault } = this.#parts;
    if (thrown instanceof WrongKeyKind) return this.#wrongKeyKind(context, thrown);
    const error = thrown instanceof ApiError ? thrown : faultOf(thrown);
    if (thrown !== error && !context.request.signal.aborted) onFault(thrown);
    if (error.details?.["refused"] === "globalKey") this.#parts.onGlobalRefused(context.caller, context.path);
    context.failure = { error, thrown };
    return this.#response(context, error);
  }

  /** The response to a request that failed after it changed something. */
  interrupted(context: RequestContext): Response {
    const error = new ApiError("REQUEST_INTERRUPTED");
    context.failure = { error, thrown: context.failure?.thrown };
    return this.#response(context, error);
  }

  #response(context: RequestContext, error: ApiError): Response {
    const { headers } = context.set;
    for (const name of successHeaders) delete headers[name];
    Object.assign(headers, error.headers);
    if (error.status === 401) headers["www-authenticate"] = challenge(context);
    if (error.retryAfterSeconds !== undefined) headers["retry-after"] = `${error.retryAfterSeconds}`;
    const body = errorBody(error, isoTime(this.#parts.clock.now()), context.baseUrl);
    return Response.json(body, { status: error.status, headers });
  }

  #wrongKeyKind(context: RequestContext, { message, availableRoute }: WrongKeyKind): Response {
    this.#parts.onGlobalRefused(context.caller, context.path);
    for (const name of successHeaders) delete context.set.headers[name];
    return Response.json({ error: message, availableRoute }, { status: 400, headers: context.set.headers });
  }
}

/** RFC 6750, section 3: no error code for a request without credentials. */
function challenge({ secret, request }: RequestContext): string {
  const hasCredentials = secret !== null || hasSessionCookie(request);
  return hasCredentials ? 'Bearer realm="outreachd", error="invalid_token"' : 'Bearer realm="outreachd"';
}

/** The response says when to retry; the log has the cause. */
function faultOf(cause: unknown): ApiError {
  const disk = diskFaultOf(cause);
  if (disk === null) return new ApiError("SERVICE_UNAVAILABLE", { cause, retryAfterSeconds: 1 });
  const retryAfterSeconds = disk.kind === "databaseUnreachable" ? failoverRetrySeconds : diskRetrySeconds;
  return new ApiError("SERVICE_UNAVAILABLE", { message: disk.message, cause, retryAfterSeconds });
}
