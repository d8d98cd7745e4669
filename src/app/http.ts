import type { AuditService } from "../platform/auth/audit/service.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import type { Operations } from "../platform/operations/operations.ts";
import type { Readiness } from "../platform/operations/readiness.ts";
import type { Cluster } from "../platform/cluster/cluster.ts";
import { isGone } from "../platform/cluster/model.ts";
import type { ExecutingNode } from "../platform/http/idempotency-store.ts";
import { Idempotency } from "../platform/http/idempotency.ts";
import { Pipeline } from "../platform/http/pipeline.ts";
import type { RateLimiter } from "../lib/rate-limit/rate-limiter.ts";
import { Refusals } from "../platform/http/refusals.ts";
import { RequestLog, type RequestMetrics } from "../platform/http/request-log.ts";
import { RouteTable } from "../platform/http/route-table.ts";
import type { Route } from "../platform/http/route.ts";
import type { SessionCookies } from "../platform/http/session-cookie.ts";
import { HttpServer } from "../platform/http/server.ts";
import type { KeyRing } from "../platform/auth/access.ts";
import type { KeyService } from "../features/workspaces/keys/service.ts";
import { createLineLog, type Log } from "../platform/base/log.ts";
import type { SessionService } from "../features/workspaces/sessions/service.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import type { WorkspaceService } from "../features/workspaces/service.ts";

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
  workspaces: WorkspaceService;
  sessions: SessionService;
  cookies: SessionCookies;
  readiness: Readiness;
  operations: Operations;
  audit: AuditService;
  isSimulation: boolean;
  /** Null with the embedded database. */
  cluster: Cluster | null;
  metrics: RequestMetrics | null;
};

/** Composes the HTTP server for the given routes. */
export function composeHttp(
  {
    config,
    storage,
    clock,
    realClock,
    log,
    readiness,
    audit,
    workspaces,
    sessions,
    keys,
    metrics,
    cluster,
    ...parts
  }: HttpParts,
  lists: readonly { readonly all: readonly Route[] }[],
) {
  const onFault = (error: unknown) => readiness.reportError(error);
  const refusals = new Refusals({
    clock,
    onFault,
    onGlobalRefused: (caller, route) =>
      void audit
        .note(caller, { action: "key.globalRefused", workspaceId: null, details: { route } })
        .catch((error: unknown) => log.error({ err: error }, "could not write to the audit log")),
  });
  const retentionMs = config.idempotencyHours * 3_600_000;
  const node = cluster && {
    id: cluster.nodeId,
    isElsewhere: ({ id, seenAt }: ExecutingNode) => id !== cluster.nodeId && !isGone(seenAt, realClock.now()),
  };
  const idempotency = new Idempotency({
    store: storage.idempotency,
    clock: realClock,
    log,
    refusals,
    retentionMs,
    node,
  });
  const requestLog = new RequestLog(log, createLineLog(log), config.logRequests ? "info" : "debug", metrics);
  const table = new RouteTable(lists);
  const { corsOrigins, publicUrl, maxBodyBytes, trustedProxies } = config;
  const pipeline = new Pipeline({
    ...{ ...parts, table, clock, idempotency, refusals, requestLog, corsOrigins, publicUrl, maxBodyBytes },
    mayGoOn: (caller) => sessions.mayGoOn(caller),
    callerOfSession: (token) => sessions.callerOf(token),
    findNamed: (id) => workspaces.find(id),
    onKeysInUrl: (secrets) =>
      void keys
        .reportLeaks(secrets)
        .catch((error: unknown) => log.error({ err: error }, "could not report a leaked API key")),
  });
  const server = new HttpServer(table, pipeline, {
    publicUrl,
    trustedProxies,
    onStreamError(context, error) {
      if (context.request.signal.aborted) return;
      requestLog.streamFailed(context, error);
      onFault(error);
    },
  });
  return { table, server, idempotency };
}
