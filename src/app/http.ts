import type { AuditService } from "../platform/auth/audit/service.ts";
import type { Clock } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import type { Operations } from "../platform/operations/operations.ts";
import type { Readiness } from "../platform/operations/readiness.ts";
import { clientAddress } from "../platform/http/client-address.ts";
import { RouteTable } from "../platform/http/routes.ts";
import { Gate, type RequestObserver } from "../platform/http/gate.ts";
import { requireWritable } from "../platform/http/write-refusal.ts";
import { Pipeline } from "../platform/http/pipeline.ts";
import { Idempotency } from "../platform/http/idempotency.ts";
import type { RateLimiter } from "../platform/http/rate-limit.ts";
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
  /** Clock for repeated requests; it is real even in a simulation. */
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
  /** Documentation of permissions. */
};

/** Composes what every request passes through. */
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
  const gate = new Gate({
    ...parts,
    clock,
    ids,
    log,
    requestLog: createLineLog(log),
    requestLevel: config.logRequests ? "info" : "debug",
    corsOrigins: config.corsOrigins,
    addressOf({ outermost: { request, peer } }) {
      return clientAddress(request, peer, config.trustedProxies);
    },
    callerOfSession: (token) => sessions.callerOf(token),
    publicUrl: config.publicUrl,
    baseUrlOf: ({ outermost }) => config.publicUrl ?? originOf(outermost.request.url),
    statusOf: () => operations.status().status,
    onFault: (error) => readiness.reportError(error),
    onGlobalRefused: (caller, route) =>
      void audit
        .note(caller, { action: "key.globalRefused", userId: null, details: { route } })
        .catch((error: unknown) => log.error({ err: error }, "could not write to the audit log")),
    onKeysInAddress: (secrets) =>
      void keys
        .reportLeaks(secrets)
        .catch((error: unknown) => log.error({ err: error }, "could not tell of a key that was leaked")),
  });
  const idempotency = new Idempotency({
    store: storage.idempotency,
    gate,
    clock: realClock,
    log,
    keptMs: config.idempotencyHours * 3_600_000,
  });
  const table = new RouteTable(config.maxBodyBytes);
  const pipeline = new Pipeline({
    table,
    gate,
    idempotency,
    userExists: (id) => users.exists(id),
    requireWritable: ({ request, template }) => requireWritable(request, operations.writeRefusal(), template),
  });
  const chores: Chore[] = [
    { name: "delete old Idempotency-Keys", pattern: "30 * * * * *", run: () => idempotency.sweep() },
  ];

  return { table, pipeline, gate, chores };
}

/** "" for a request without a host, whose URL is only a path. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}
