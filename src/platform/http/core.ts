import { Elysia } from "elysia";
import { ApiError, invalid } from "../base/errors.ts";
import type { Permission } from "../auth/key-model.ts";
import type { Gate } from "./gate.ts";
import type { AnswerSettings, Idempotency } from "./idempotency.ts";
import { pathOf } from "./gate.ts";
import { queryOf } from "./input.ts";
import { actingUser, requireAccess, type Access } from "./permission.ts";
import { readJson } from "./read-body.ts";
import { withWarnings } from "./warnings.ts";

export type EntranceParts = {
  gate: Gate;
  idempotency: Idempotency;
  /** Methods that a path takes; empty when there is no such path. */
  methodsOf: (path: string) => string[];
};

export type CoreParts = {
  gate: Gate;
  idempotency: Idempotency;
  maxBodyBytes: number;
  userExists: (id: string) => Promise<boolean>;
  /** Throws SERVICE_UNAVAILABLE for a request that would change something while nothing may change. */
  requireWritable: (request: Request) => void;
  /** Where a person reads about permissions; goes into refusals. */
};

export type Entrance = ReturnType<typeof createEntrance>;
export type Core = ReturnType<typeof createCore>;

/**
 * What every request passes: the gate before it, one renderer of errors, and the answers that were given before. For the
 * app that all routes are in, and before them: Elysia hands it down to each of them, at each app that has it.
 */
export function createEntrance({ gate, idempotency, methodsOf }: EntranceParts) {
  /** An answer that was given before is of the route's own type; clients that are typed by it need not know. */
  function replayOf(request: Request): undefined {
    return idempotency.begin(request, (each) => gate.callerOf(each)) as undefined;
  }

  /** The JSON of an answer, in place of the value, when it is kept; for clients it is of the route's own type, too. */
  function kept(request: Request, value: unknown, set: AnswerSettings): undefined {
    return idempotency.keep(request, value, set) as undefined;
  }

  function answered(request: Request, value: unknown, set: AnswerSettings): undefined {
    const warned = withWarnings(request, value) as undefined;
    return kept(request, warned ?? value, set) ?? warned;
  }

  return (
    new Elysia({ name: "entrance" })
      .wrap(wrapping((next, request) => idempotency.around(next, request)))
      .wrap(wrapping((next) => gate.around(next)))
      .onRequest(({ request, set }) => gate.enter(request, set) as undefined)
      .onError({ as: "global" }, ({ code, error, request, set }) =>
        gate.refuse(meant(code, error, request, methodsOf), request, set),
      )
      // Of every route there is, behind the checks of its own.
      .onBeforeHandle({ as: "global" }, ({ request }) => replayOf(request))
      .onAfterHandle({ as: "global" }, ({ request, responseValue, set }) => answered(request, responseValue, set))
  );
}

/** A list of 10,000 people with everything that is known of them. */
const bulkBytes = 16 * 2 ** 20;

type Wanted = Permission | readonly Permission[] | null;

/**
 * What every feature's routes are built on: the ways to say who may use a route. A route without one of `access`,
 * `ownKey`, `callerOnly`, `upload` asks for no permission.
 */
export function createCore(parts: CoreParts) {
  const { gate, idempotency, maxBodyBytes, userExists, requireWritable } = parts;
  /** Permission is asked before the body is read and before anything is validated. `maxBytes` is null for bodies that stay streams. */
  function hooks(access: Access, maxBytes: number | null = maxBodyBytes, readBody = readJson) {
    return {
      detail: securedDetail(access),
      parse: maxBytes === null ? leftAlone : documentedAsJson,
      async transform(context: { request: Request; query: unknown; body: unknown }) {
        const { request } = context;
        requireAccess(gate.callerOf(request), access);
        requireWritable(request);
        idempotency.check(request);
        if (maxBytes !== null && mayHaveBody(request)) context.body = (await readBody(request, maxBytes)) ?? null;
        const query = queryOf(request.url);
        context.query = query;
        shareDryRun(query, context.body);
      },
    };
  }

  /** `brokeOff` is to be called with the reason when the body of an answer ends too early. */
  function callerOf(request: Request) {
    return { caller: gate.callerOf(request), brokeOff: (error: unknown) => gate.brokeOff(request, error) };
  }

  async function acting({ request, query, body }: { request: Request; query: unknown; body: unknown }) {
    const caller = gate.callerOf(request);
    return { ...callerOf(request), userId: await actingUser(caller, userIdIn(query) ?? userIdIn(body), userExists) };
  }

  return (
    new Elysia({ name: "core" })
      /** Acts for a user: the key's own, or the one that a global key names. */
      .macro("access", (permission: Wanted) => ({ ...hooks({ permission, actsFor: "user" }), resolve: acting }))
      /** As `access`, with room for thousands of items in the body. */
      .macro("bulk", (permission: Wanted) => ({
        ...hooks({ permission, actsFor: "user" }, Math.max(maxBodyBytes, bulkBytes)),
        resolve: acting,
      }))
      /** As `access`, but only for user-specific keys; `availableRoute` is for the others. */
      .macro("ownKey", ({ permission, availableRoute }: { permission: Wanted; availableRoute: string }) => ({
        ...hooks({ permission, actsFor: "ownKey", availableRoute }),
        resolve: acting,
      }))
      /** Acts for nobody in particular. */
      .macro("callerOnly", (permission: Wanted) => ({
        ...hooks({ permission, actsFor: "caller" }),
        resolve: ({ request }: { request: Request }) => callerOf(request),
      }))
      /** As `callerOnly`, for a protocol with words of its own for what is no JSON: then the refusal is the body. */
      .macro("message", (permission: Wanted) => ({
        ...hooks({ permission, actsFor: "caller" }, maxBodyBytes, readMessage),
        resolve: ({ request }: { request: Request }) => callerOf(request),
      }))
      /** As `access`, with the body left as a stream. */
      .macro("upload", (permission: Wanted) => ({ ...hooks({ permission, actsFor: "user" }, null), resolve: acting }))
  );
}

async function readMessage(request: Request, maxBytes: number): Promise<unknown> {
  try {
    return await readJson(request, maxBytes);
  } catch (error) {
    if (error instanceof ApiError && error.code === "VALIDATION_ERROR") return error;
    throw error;
  }
}

type Wrap = Parameters<Elysia["wrap"]>[0];

type Handle = (request: Request) => Response | Promise<Response>;

/** Elysia gives and takes the function that handles a request; its types only say that there is one. */
function wrapping(wrap: (next: Handle, request: Request) => Handle): Wrap {
  return wrap as unknown as Wrap;
}

/** Reads nothing (see `adapter.ts`). Macros take such a list, but their types do not say so. */
const documentedAsJson = ["json"] as unknown as [() => undefined];
/** Not even that: for bodies that are no JSON. */
const leftAlone = ["none"] as unknown as [() => undefined];

/** A body of any other request is nobody's. */
function mayHaveBody({ method }: Request): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** `x-permission` is what tests of the route table go by. */
function securedDetail({ permission, actsFor }: Access) {
  return {
    security: [{ apiKey: [] }, { bearer: [] }] as Record<string, string[]>[],
    "x-permission": permission === null ? [] : [permission].flat(),
    "x-acts-for": actsFor,
  };
}

function userIdIn(part: unknown): unknown {
  return typeof part === "object" && part !== null && "userId" in part ? part.userId : undefined;
}

/** Elysia's own errors in our words. */
function meant(
  code: string | number,
  thrown: unknown,
  request: Request,
  methodsOf: EntranceParts["methodsOf"],
): unknown {
  return code === "NOT_FOUND" && !(thrown instanceof ApiError) ? noRoute(request, methodsOf) : thrown;
}

function noRoute({ method, url }: Request, methodsOf: EntranceParts["methodsOf"]): ApiError {
  const path = pathOf(url);
  const allow = methodsOf(path);
  if (allow.length > 0)
    return new ApiError("METHOD_NOT_ALLOWED", {
      message: `${path} does not take ${method}; it takes ${allow.join(", ")}.`,
      details: { allow },
      headers: { allow: allow.join(", ") },
    });
  return new ApiError("NOT_FOUND", {
    message: `There is no route ${method} ${path}. See /docs for those that exist.`,
    details: { resource: "route", id: `${method} ${path}` },
  });
}

/**
 * Some routes take `dryRun` in the query, some in the body. Wherever a client puts it, it is heeded, and of two the one
 * that is true: what somebody only wanted to try must never be done.
 */
function shareDryRun(query: Record<string, unknown>, body: unknown): void {
  const asked = query["dryRun"];
  if (asked !== undefined && (typeof asked !== "string" || asked === ""))
    throw invalid([{ path: "dryRun", message: "Expected true or false, once. Nothing was done." }]);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return;
  const fields = body as Record<string, unknown>;
  const sent = fields["dryRun"];
  if (asked === undefined) {
    if (typeof sent === "boolean") query["dryRun"] = `${sent}`;
    return;
  }
  const wanted = ["true", "1"].includes(asked) || (["false", "0"].includes(asked) ? false : asked);
  if (wanted !== false) fields["dryRun"] = wanted;
  else if (sent === true) query["dryRun"] = "true";
}
