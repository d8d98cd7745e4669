import { Type } from "@sinclair/typebox";
import { params } from "../../../platform/http/input.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { pageFields, pageOfAll, pageQuery } from "../../../platform/http/paging.ts";
import { ok } from "../../../platform/http/request-context.ts";
import { routes } from "../../../platform/http/route.ts";
import { IdentityView } from "./model.ts";
import type { SignInService } from "./service.ts";

const maxIdentities = 100;
const IdentityList = Type.Object({ identities: Type.Array(IdentityView), ...pageFields });
const Removed = Type.Object({ success: Type.Literal(true), message: Type.String() });

/** The accounts that users sign in with at an OpenID Connect issuer. */
export function identityRoutes(signIn: SignInService) {
  return routes("/api/v2/users/:userId/identities")
    .get(
      "/",
      async ({ caller, params: { userId }, query: { limit = maxIdentities, cursor } }) => {
        const all = await signIn.identities(caller, userId);
        const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ id }) => id, newestFirst: true });
        return ok({ identities: items, ...page });
      },
      {
        callerOnly: "users:read",
        params: params(Type.Object({ userId: Type.String() })),
        query: params(Type.Object(pageQuery(maxIdentities, maxIdentities))),
        docs: answersJson(success(IdentityList), {
          tag: "Users",
          summary: "List the identities of a user, newest first",
          description: "Admins only. The accounts at OpenID Connect issuers that the user signs in with.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:identityId",
      async ({ caller, params: { userId, identityId } }) => {
        await signIn.unlink(caller, userId, identityId);
        return { success: true as const, message: "Identity removed." };
      },
      {
        callerOnly: "users:write",
        params: params(Type.Object({ userId: Type.String(), identityId: Type.String() })),
        docs: answersJson(Removed, {
          tag: "Users",
          summary: "Remove an identity of a user",
          description:
            "Admins only. The next sign-in is recognized by its email address again. Open sessions are not ended.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
