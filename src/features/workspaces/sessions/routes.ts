import { Type } from "@sinclair/typebox";
import { isoTime } from "../../../platform/base/clock.ts";
import { routes } from "../../../platform/http/route.ts";
import { params } from "../../../platform/http/input.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { ok } from "../../../platform/http/request-context.ts";
import type { KeyService } from "../keys/service.ts";
import { SignInLinkView } from "./model.ts";
import type { SessionService } from "./service.ts";

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
