import { Type } from "@sinclair/typebox";
import { isoTime } from "../../../platform/base/clock.ts";
import { routes } from "../../../platform/http/route.ts";
import { params } from "../../../platform/http/input.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { pageFields, pageOfAll, pageQuery } from "../../../platform/http/paging.ts";
import { ok, type RequestContext } from "../../../platform/http/request-context.ts";
import { requireAccess } from "../../../platform/auth/access.ts";
import type { Permission } from "../../../platform/auth/key-model.ts";
import type { KeyService } from "../keys/service.ts";
import { OpenSessionView, SignInLinkView } from "./model.ts";
import { maxSessions, type SessionService } from "./service.ts";

const SessionList = Type.Object({ sessions: Type.Array(OpenSessionView), ...pageFields });
const Ended = Type.Object({ success: Type.Literal(true), message: Type.String() });
const ofSession =
  "A session lists and ends those of its own user whatever its permissions; an API key needs the permission `users:read` or `users:write`.";

/** The sessions of users. */
export function openSessionRoutes(sessions: SessionService) {
  /** People see and end their own sessions even if their role is to read leads only. */
  const requirePermission = ({ caller, isPage }: RequestContext, permission: Permission) => {
    if (!isPage) requireAccess(caller, { permission, actsFor: "caller" });
  };
  return routes("/api/v2/sessions")
    .get(
      "/",
      async (context) => {
        const { memberId, limit = maxSessions, cursor } = context.query;
        requirePermission(context, "users:read");
        const all = await sessions.list(context.caller, memberId);
        const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ id }) => id, newestFirst: true });
        return ok({ sessions: items, ...page });
      },
      {
        callerOnly: null,
        query: params(
          Type.Object({
            ...pageQuery(maxSessions, maxSessions),
            memberId: Type.Optional(Type.String({ description: "Member whose sessions in this workspace to list." })),
          }),
        ),
        docs: answersJson(success(SessionList), {
          tag: "Sessions",
          summary: "List sessions, newest first",
          description: `Your own in all workspaces or, for owners and admins, those of a member in this workspace. ${ofSession}`,
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/",
      async (context) => {
        requirePermission(context, "users:write");
        const ended = await sessions.endOthers(context.caller);
        return { success: true as const, message: `Ended ${ended} ${ended === 1 ? "session" : "sessions"}.` };
      },
      {
        callerOnly: null,
        docs: answersJson(Ended, {
          tag: "Sessions",
          summary: "End all your other sessions",
          description: `Browsers are signed out at once. ${ofSession}`,
        }),
      },
    )
    .delete(
      "/:sessionId",
      async (context) => {
        requirePermission(context, "users:write");
        await sessions.end(context.caller, context.params.sessionId);
        return { success: true as const, message: "Session ended." };
      },
      {
        callerOnly: null,
        params: params(Type.Object({ sessionId: Type.String() })),
        docs: answersJson(Ended, {
          tag: "Sessions",
          summary: "End a session",
          description: `Yours or, for owners and admins, one of a member in this workspace. ${ofSession}`,
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

/** Sign-in links for browsers. `baseUrl`: URL at which browsers reach the server, or "" while it is unknown. */
export function sessionRoutes(sessions: SessionService, keys: KeyService, baseUrl: () => string) {
  return routes("/api/v2/keys").post(
    "/:keyId/link",
    async ({ caller, params: { keyId } }) => {
      const { path, expiresAt } = await sessions.makeLink(await keys.forSignIn(caller, keyId));
      return ok({ url: `${baseUrl()}${path}`, expiresAt: isoTime(expiresAt) });
    },
    {
      callerOnly: ["api_keys:write", "keys:manage"],
      params: params(Type.Object({ keyId: Type.String() })),
      docs: answersJson(success(SignInLinkView), {
        tag: "Keys",
        summary: "Create a sign-in link",
        description:
          "The link signs a browser in to the dashboard with the permissions of the key. It works once and expires after one hour.",
        errors: ["NOT_FOUND", "CONFLICT"],
      }),
    },
  );
}
