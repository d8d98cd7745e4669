import type { AnyElysia } from "elysia";
import type { AuditService } from "../platform/auth/audit/service.ts";
import type { Clock } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import type { Operations } from "../platform/operations/operations.ts";
import type { Readiness } from "../platform/operations/readiness.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { createCore, createEntrance } from "../platform/http/core.ts";
import { Gate, pathOf, type RequestObserver } from "../platform/http/gate.ts";
import { requireWritable } from "../platform/http/write-refusal.ts";
import { Idempotency } from "../platform/http/idempotency.ts";
import { allowedMethods } from "../platform/http/methods.ts";
import type { RateLimiter } from "../platform/http/rate-limit.ts";
import { routeTemplates } from "../platform/http/route-templates.ts";
import type { Ids } from "../platform/base/ids.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { KeyRing } from "../platform/auth/key-ring.ts";
import type { KeyService } from "../features/workspaces/keys/service.ts";
import { createLineLog, type Log } from "../platform/base/log.ts";
import type { SessionService } from "../features/workspaces/sessions/service.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import type { UserService } from "../features/workspaces/users/service.ts";

export type HttpParts = {
  config: Config;
  storage: Storage;
  clock: Clock;
  /** Of those who come back for an answer, also where time is simulated. */
  realClock: Clock;
  ids: Ids;
  log: Log;
  keyRing: KeyRing;
  keys: KeyService;
  limiter: RateLimiter;
  users: UserService;
  sessions: SessionService;
  readiness: Readiness;
  operations: Operations;
  audit: AuditService;
  isSimulation: boolean;
  observer: RequestObserver | null;
  /** Where a person reads about permissions. */
};

/** What every request passes, put together. */
export function composeHttp({
  config,
  storage,
  clock,
  realClock,
  ids,
  log,
  readiness,
  operations,
  audit,
  users,
  sessions,
  keys,
  ...parts
}: HttpParts) {
  let app: AnyElysia | null = null;
  let methodsOf = (_path: string): string[] => [];
  let routeOf = (_method: string, _path: string): string | null => null;

  /** By which requests those came that tools make. */
  const outerRequests = new WeakMap<Request, Request>();
  const peerOf = (request: Request): string => app?.server?.requestIP(request)?.address ?? "local";
  const gate = new Gate({
    ...parts,
    clock,
    ids,
    log,
    requestLog: createLineLog(log),
    requestLevel: config.logRequests ? "info" : "debug",
    corsOrigins: config.corsOrigins,
    addressOf(request) {
      const outer = outerRequests.get(request) ?? request;
      return clientAddress(outer, peerOf(outer), config.trustedProxies);
    },
    callerOfSession: (token) => sessions.callerOf(token),
    publicUrl: config.publicUrl,
    baseUrlOf: (request) => config.publicUrl ?? originOf((outerRequests.get(request) ?? request).url),
    statusOf: () => operations.status().status,
    onFault: (error) => readiness.reportError(error),
    onGlobalRefused: (caller, route) =>
      void audit
        .note(caller, { action: "key.globalRefused", userId: null, details: { route } })
        .catch((error: unknown) => log.error({ err: error }, "could not write to the audit log")),
    onKeysInAddress: (secrets) =>
      void keys
        .tellLeaks(secrets)
        .catch((error: unknown) => log.error({ err: error }, "could not tell of a key that was leaked")),
    routeOf: (method, path) => routeOf(method, path),
  });
  const idempotency = new Idempotency({
    store: storage.idempotency,
    gate,
    clock: realClock,
    log,
    keptMs: config.idempotencyHours * 3_600_000,
  });
  const entrance = createEntrance({ gate, idempotency, methodsOf: (path) => methodsOf(path) });
  const core = createCore({
    gate,
    idempotency,
    maxBodyBytes: config.maxBodyBytes,
    userExists: (id) => users.exists(id),
    requireWritable: (request) =>
      requireWritable(request, operations.writeRefusal(), routeOf(request.method, pathOf(request.url))),
  });
  const chores: Chore[] = [
    { name: "forget old Idempotency-Keys", pattern: "30 * * * * *", run: () => idempotency.sweep() },
  ];

  /** `request`, which is made on behalf of another one. */
  function within(request: Request, outer: Request): Request {
    outerRequests.set(request, outer);
    return request;
  }

  /** To be called once every route is there. */
  function learnRoutes(complete: AnyElysia): void {
    app = complete;
    methodsOf = allowedMethods(complete);
    routeOf = routeTemplates(complete);
  }

  return { entrance, core, gate, chores, within, learnRoutes };
}

/** "" for a request that names no host, whose URL is only a path. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}
