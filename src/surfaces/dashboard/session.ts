import type { SessionParts } from "../../app/surfaces.ts";
import type { AuditEvent, Origin } from "../../platform/auth/audit/model.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { body, readJson } from "../../platform/http/input.ts";
import { refuseStranger } from "../../platform/http/rate-limit.ts";
import { ok, type RequestContext } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { isSecureRequest } from "../../platform/http/session-cookie.ts";
import { SignInInput, SwitchInput } from "../../features/workspaces/sessions/model.ts";
import { requireWritable } from "../../platform/http/write-refusal.ts";
import { ownPageOnly } from "./own-page.ts";
import type { Caller } from "../../platform/auth/caller.ts";

/** Holds a key or a token. */
const maxSignInBytes = 4096;

const input = body(SignInInput)["~standard"];
const switchInput = body(SwitchInput)["~standard"];

/** Sign-in and sign-out for the dashboard. Programs send an API key instead of a cookie. */
export function browserSession({
  sessions,
  operations,
  cookies,
  audit,
  limiter,
  clock,
  publicUrl,
  trustedProxies,
}: SessionParts) {
  const isSecure = (request: Request) => isSecureRequest(request, publicUrl, trustedProxies);

  async function view(context: RequestContext) {
    const token = cookies.tokenIn(context.request);
    if (token === null) throw new ApiError("UNAUTHORIZED", { message: "You are not signed in." });
    const caller = await sessions
      .callerOf(token)
      .catch((error: unknown) => refuseStranger(context, error, limiter, clock));
    return ok(await sessions.view(caller));
  }

  async function signIn(context: RequestContext) {
    const { request, set, origin } = context;
    const { value } = input.validate(await readJson(context, maxSignInBytes));
    const { token, expiresAt, caller } = await sessions
      .signIn(value, origin)
      .catch(async (error: unknown): Promise<never> => {
        const refusal = refusalOf(() => refuseStranger(context, error, limiter, clock));
        // Attempts beyond the rate limit are not recorded, so that no one can flood the audit log.
        if (refusal === error && refusal instanceof ApiError)
          await audit.note(null, { action: "session.refused", workspaceId: null, origin });
        throw refusal;
      });
    await audit.note(caller, sessionEvent("session.signedIn", caller, origin));
    const maxAgeSeconds = Math.ceil((expiresAt - clock.now()) / 1000);
    set.headers["set-cookie"] = cookies.header(token, maxAgeSeconds, isSecure(request));
    return ok(await sessions.view(caller));
  }

  /** Goes on in another workspace of the user, with a new session in place of this one. */
  async function switchWorkspace(context: RequestContext) {
    const { request, set, origin } = context;
    if (operations.writeRefusal !== null) requireWritable(request.method, context.route, operations.writeRefusal);
    const { value } = switchInput.validate(await readJson(context, maxSignInBytes));
    const current = cookies.tokenIn(request);
    if (current === null) throw new ApiError("UNAUTHORIZED", { message: "You are not signed in." });
    const from = await sessions
      .callerOf(current)
      .catch((error: unknown) => refuseStranger(context, error, limiter, clock));
    const { token, expiresAt, caller } = await sessions.switchTo(from, current, value.workspaceId, origin);
    await audit.note(caller, sessionEvent("session.switched", caller, origin));
    const maxAgeSeconds = Math.ceil((expiresAt - clock.now()) / 1000);
    set.headers["set-cookie"] = cookies.header(token, maxAgeSeconds, isSecure(request));
    return ok(await sessions.view(caller));
  }

  async function signOut({ request, set, origin }: RequestContext) {
    const token = cookies.tokenIn(request);
    const caller = token === null ? null : await sessions.callerOf(token).catch(() => null);
    if (token !== null) await sessions.signOut(token);
    if (caller !== null) await audit.note(caller, sessionEvent("session.signedOut", caller, origin));
    set.headers["set-cookie"] = cookies.header("", 0, isSecure(request));
    return { success: true as const, message: "Signed out." };
  }

  /** Pages of other origins cannot sign users in or out either. */
  const fromOwnPage = ownPageOnly(publicUrl);
  const list = routes("/app/session");
  return list
    .get("", fromOwnPage(view), {})
    .post("", fromOwnPage(signIn), {})
    .delete("", fromOwnPage(signOut), {})
    .post("/switch", fromOwnPage(switchWorkspace), {});
}

function sessionEvent(
  action: "session.signedIn" | "session.signedOut" | "session.switched",
  caller: Caller,
  origin: Origin,
): AuditEvent {
  return { action, workspaceId: caller.workspaceId, target: { type: "key", id: caller.keyId }, origin };
}

/** The error that `refuse` throws. */
function refusalOf(refuse: () => never): unknown {
  try {
    return refuse();
  } catch (error) {
    return error;
  }
}
