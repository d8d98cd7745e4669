import type { InvitationService } from "../features/workspaces/invitations/service.ts";
import type { SignInService } from "../features/workspaces/sign-in/service.ts";
import type { SessionService } from "../features/workspaces/sessions/service.ts";
import type { Operations } from "../platform/operations/operations.ts";
import type { AuditService } from "../platform/auth/audit/service.ts";
import type { Clock } from "../platform/base/clock.ts";
import type { RateLimiter } from "../lib/rate-limit/rate-limiter.ts";
import type { RequestContext } from "../platform/http/request-context.ts";
import type { SessionCookies } from "../platform/http/session-cookie.ts";
import type { Route } from "../platform/http/route.ts";

type Routes = { readonly all: readonly Route[] };

/** Surfaces besides the API, each as routes of the server. */
export type Surfaces = {
  /** Sign-in and sign-out for the dashboard, also by OpenID Connect. */
  session: (parts: SessionParts) => Routes;
  /** Pages for people who were invited and have no key yet. */
  invitation: (parts: SessionParts) => Routes;
  pages: (parts: SessionParts) => Routes;
  /** The API as tools for AI assistants. */
  tools: (parts: ToolParts) => Routes;
};
export type SessionParts = {
  sessions: SessionService;
  signIn: SignInService;
  invitations: InvitationService;
  operations: Operations;
  cookies: SessionCookies;
  audit: AuditService;
  limiter: RateLimiter;
  clock: Clock;
  publicUrl: string | null;
  trustedProxies: number;
  openId: { clientSecret: string } | null;
};
export type ToolParts = {
  /** The OpenAPI document, from which the tools are generated. */
  document: () => Promise<object>;
  /** Sends a request to the API on behalf of another one. */
  call: (request: Request, outer: RequestContext) => Promise<Response>;
  /** Origins whose pages may use it; `*` allows every origin. */
  corsOrigins: readonly string[];
  clock: Clock;
};
