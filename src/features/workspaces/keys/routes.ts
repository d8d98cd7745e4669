import { Type } from "@sinclair/typebox";
import { routes } from "../../../platform/http/route.ts";
import { body, params } from "../../../platform/http/input.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../../platform/http/paging.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { ok } from "../../../platform/http/request-context.ts";
import { KeyInput, KeyUpdate, KeyUsageView, KeyView, NewKeyView } from "../../../platform/auth/key-model.ts";
import { maxUsageDays, type KeyService } from "./service.ts";

const KeyId = Type.Object({ keyId: Type.String() });
const Filter = Type.Object({
  userId: Type.Optional(Type.String({ description: "User whose keys to list. Admins and global keys only." })),
  ...pageQuery(1000, 1000),
});
const KeyList = Type.Object({ keys: Type.Array(KeyView), ...pageFields });
const Regenerated = Type.Object({ success: Type.Literal(true), ...NewKeyView.properties });
const Deleted = Type.Object({ success: Type.Literal(true), message: Type.String() });

const writing = ["api_keys:write", "keys:manage"] as const;
const reading = ["api_keys:read", "keys:manage"] as const;

export function keyRoutes(keys: KeyService) {
  return routes("/api/v2/keys")
    .post("/", async ({ caller, body: input }) => ok(await keys.create(caller, input)), {
      callerOnly: writing,
      body: body(KeyInput),
      docs: answersJson(success(NewKeyView), {
        tag: "Keys",
        summary: "Create an API key",
        description:
          "The secret is returned in `data.key` and is not shown again. A key cannot have permissions that its creator lacks.",
        errors: ["NOT_FOUND"],
      }),
    })
    .get(
      "/",
      async ({ caller, query: { userId, limit = 1000, cursor } }) => {
        const { keys: found, total } = await keys.list(caller, userId, limit + 1, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, limit, ({ place }) => timePlaceOf(place));
        return ok({ keys: items.map(({ view }) => view), total, ...page });
      },
      {
        callerOnly: reading,
        query: params(Filter),
        docs: answersJson(success(KeyList), { tag: "Keys", summary: "List API keys, newest first" }),
      },
    )
    .put("/:keyId", async ({ caller, params: { keyId }, body: input }) => ok(await keys.update(caller, keyId, input)), {
      callerOnly: writing,
      params: params(KeyId),
      body: body(KeyUpdate),
      docs: answersJson(success(KeyView), {
        tag: "Keys",
        summary: "Update or disable an API key",
        description:
          "Changes the name, permissions, expiry, rate limits, allowed networks, or active state. An admin can disable any key by sending only `isActive: false`.",
        errors: ["NOT_FOUND"],
      }),
    })
    .post(
      "/:keyId/regenerate",
      async ({ caller, params: { keyId } }) => ({
        success: true as const,
        ...(await keys.regenerate(caller, keyId)),
      }),
      {
        callerOnly: writing,
        params: params(KeyId),
        docs: answersJson(Regenerated, {
          tag: "Keys",
          summary: "Regenerate an API key",
          description:
            "Issues a new secret; the old one stops working immediately. The expiry of a key with `expiresInDays` restarts. The fields are at the top level, next to `success`, as the specification requires.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/:keyId/usage",
      async ({ caller, params: { keyId }, query: { days = 30 } }) => ok(await keys.usage(caller, keyId, days)),
      {
        callerOnly: reading,
        params: params(KeyId),
        query: params(
          Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxUsageDays, default: 30 })) }),
        ),
        docs: answersJson(success(KeyUsageView), {
          tag: "Keys",
          summary: "Get the requests of an API key by day",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:keyId",
      async ({ caller, params: { keyId } }) => ({
        success: true as const,
        message: `API key "${await keys.remove(caller, keyId)}" deleted.`,
      }),
      {
        callerOnly: "keys:manage",
        params: params(KeyId),
        docs: answersJson(Deleted, {
          tag: "Keys",
          summary: "Delete an API key",
          description: "Permanent. The key stops working immediately. An admin can delete any key.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
