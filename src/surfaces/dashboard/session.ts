import type { SessionParts } from "../../app/surfaces.ts";
import type { AuditEvent, Origin } from "../../platform/auth/audit/model.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { body } from "../../platform/http/input.ts";
import { readJson } from "../../platform/http/body.ts";
import type { RequestContext } from "../../platform/http/request-context.ts";
import { feature } from "../../platform/http/routes.ts";
import { ok } from "../../platform/http/response.ts";
import { requireOwnPage } from "../../platform/http/same-origin.ts";
import { isSecureRequest, sessionCookie, sessionTokenOf } from "../../platform/http/session-cookie.ts";
import { SignInInput } from "../../features/workspaces/sessions/model.ts";
import type { Caller } from "../../platform/auth/caller.ts";

/** A key or a token, nothing more. */
const maxSignInBytes = 4096;

/** Signing in and out, for the pages alone: programs send an API key, and have no use for a cookie. */
export function sessionOfBrowser({
  core,
  gate,
  sessions,
  audit,
  clock,
  publicUrl,
  trustedProxies,
}: SessionParts): void {
  const isSecure = (request: Request) => isSecureRequest(request, publicUrl, trustedProxies);
  const originOf = (context: RequestContext): Origin => gate.originOf(context)();
  const input = body(SignInInput)["~standard"];

  const hidden = { detail: { hide: true } };
  feature(core, "/app/session")
    .get(
      "",
      async ({ request, context }) => {
        requireOwnPage(request, publicUrl);
        const token = sessionTokenOf(request);
        if (token === null) throw new ApiError("UNAUTHORIZED", { message: "You are not signed in." });
        const caller = await sessions.callerOf(token).catch((error: unknown) => gate.refuseStranger(context, error));
        return ok(await sessions.view(caller));
      },
      hidden,
    )
    .post(
      "",
      async ({ request, set, context }) => {
        // A foreign page must not sign people in as somebody else either.
        requireOwnPage(request, publicUrl);
        const { value } = input.validate(await readJson(context, maxSignInBytes));
        const { token, expiresAt, caller } = await sessions
          .signIn(value)
          .catch(async (error: unknown): Promise<never> => {
            // Not of those whom the limit of strangers refuses: nobody shall fill the log.
            const refusal = refusalOf(() => gate.refuseStranger(context, error));
            if (refusal === error && refusal instanceof ApiError)
              await audit.note(null, { action: "session.refused", userId: null, origin: originOf(context) });
            throw refusal;
          });
        await audit.note(caller, told("session.signedIn", caller, originOf(context)));
        const maxAgeSeconds = Math.ceil((expiresAt - clock.now()) / 1000);
        set.headers["set-cookie"] = sessionCookie(token, maxAgeSeconds, isSecure(request));
        return ok(await sessions.view(caller));
      },
      hidden,
    )
    .delete(
      "",
      async ({ request, set, context }) => {
        requireOwnPage(request, publicUrl);
        const token = sessionTokenOf(request);
        const caller = token === null ? null : await sessions.callerOf(token).catch(() => null);
        if (token !== null) await sessions.signOut(token);
        if (caller !== null) await audit.note(caller, told("session.signedOut", caller, originOf(context)));
        set.headers["set-cookie"] = sessionCookie("", 0, isSecure(request));
        return { success: true as const, message: "Signed out." };
      },
      hidden,
    );
}

function told(action: "session.signedIn" | "session.signedOut", caller: Caller, origin: Origin): AuditEvent {
  return { action, userId: caller.userId, target: { type: "key", id: caller.keyId }, origin };
}

/** What `refuse` throws. */
function refusalOf(refuse: () => never): unknown {
  try {
    return refuse();
  } catch (error) {
    return error;
  }
}
