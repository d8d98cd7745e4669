import { Elysia } from "elysia";
import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";
import type { Core } from "../http/core.ts";
import type { Gate } from "../http/gate.ts";
import { body } from "../http/input.ts";
import { readJson } from "../http/read-body.ts";
import { ok } from "../http/responses.ts";
import { requireOwnPage } from "../http/same-origin.ts";
import { isSecureRequest, sessionCookie, sessionTokenOf } from "../http/session-cookie.ts";
import { SignInInput } from "../sessions/model.ts";
import type { SessionService } from "../sessions/service.ts";

type Parts = {
  core: Core;
  gate: Gate;
  sessions: SessionService;
  clock: Clock;
  publicUrl: string | null;
  trustedProxies: number;
};

/** A key or a token, nothing more. */
const maxSignInBytes = 4096;

/** Signing in and out, for the pages alone: programs send an API key, and have no use for a cookie. */
export function sessionOfBrowser({ core, gate, sessions, clock, publicUrl, trustedProxies }: Parts) {
  const isSecure = (request: Request) => isSecureRequest(request, publicUrl, trustedProxies);
  const input = body(SignInInput)["~standard"];

  return (
    new Elysia({ prefix: "/app/session", detail: { hide: true } })
      .use(core)
      // Somebody else's page must not sign people in as somebody else either.
      .onBeforeHandle(({ request }) => requireOwnPage(request, publicUrl))
      .get("", async ({ request, set }) => {
        const token = sessionTokenOf(request);
        if (token === null) throw new ApiError("UNAUTHORIZED", { message: "You are not signed in." });
        const caller = await sessions
          .callerOf(token)
          .catch((error: unknown) => gate.refuseStranger(request, set, error));
        return ok(await sessions.view(caller));
      })
      .post(
        "",
        async ({ request, set }) => {
          const { value } = input.validate(await readJson(request, maxSignInBytes));
          const { token, expiresAt, caller } = await sessions
            .signIn(value)
            .catch((error: unknown) => gate.refuseStranger(request, set, error));
          const maxAgeSeconds = Math.ceil((expiresAt - clock.now()) / 1000);
          set.headers["set-cookie"] = sessionCookie(token, maxAgeSeconds, isSecure(request));
          return ok(await sessions.view(caller));
        },
        { parse: "none" },
      )
      .delete("", async ({ request, set }) => {
        const token = sessionTokenOf(request);
        if (token !== null) await sessions.signOut(token);
        set.headers["set-cookie"] = sessionCookie("", 0, isSecure(request));
        return { success: true as const, message: "Signed out." };
      })
  );
}
