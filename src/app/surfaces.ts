import type { SessionService } from "../features/workspaces/sessions/service.ts";
import type { AuditService } from "../platform/auth/audit/service.ts";
import type { Clock } from "../platform/base/clock.ts";
import type { Core } from "../platform/http/routes.ts";
import type { RequestContext } from "../platform/http/request-context.ts";
import type { Gate } from "../platform/http/gate.ts";

/** Surfaces besides the API, each as routes of the server. */
export type Surfaces = {
  /** Sign-in and sign-out for the dashboard. */
  session: (parts: SessionParts) => void;
  pages: (core: Core) => void;
  /** The API as tools for AI assistants. */
  tools: (core: Core, parts: ToolParts) => void;
};
export type SessionParts = {
  core: Core;
  gate: Gate;
  sessions: SessionService;
  audit: AuditService;
  clock: Clock;
  publicUrl: string | null;
  trustedProxies: number;
};
export type ToolParts = {
  /** The OpenAPI document, from which the tools are generated. */
  document: () => Promise<object>;
  /** Handles a request as if it had come over the network, on behalf of `outer`. */
  handle: (request: Request, outer: RequestContext) => Promise<Response>;
  /** Origins whose pages may use it; `*` = all. */
  corsOrigins: readonly string[];
  clock: Clock;
};
