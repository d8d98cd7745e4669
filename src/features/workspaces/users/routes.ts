import { Type } from "@sinclair/typebox";
import type { CreditService } from "../../credits/service.ts";
import { routes } from "../../../platform/http/route.ts";
import { body, params } from "../../../platform/http/input.ts";
import { pageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../../platform/http/paging.ts";
import { answersJson, success } from "../../../platform/http/openapi.ts";
import { ok } from "../../../platform/http/request-context.ts";
import { ManagedUserUpdate, UserInput, UserUpdate, UserView } from "../../../platform/auth/user-model.ts";
import { userView, type UserService } from "./service.ts";
import type { WorkspaceService } from "../service.ts";
import type { UserId } from "../../../platform/base/ids.ts";
import { invalid } from "../../../platform/base/errors.ts";

const Page = Type.Object({
  ...pageQuery(50, 100),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
});
const UserPage = Type.Object({ users: Type.Array(UserView), ...pageFields });
const Grant = Type.Object({
  amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
  note: Type.Optional(Type.String({ maxLength: 500 })),
});
const Adjustment = Type.Object({
  amount: Type.Integer({
    minimum: -1_000_000_000,
    maximum: 1_000_000_000,
    description: "Credits to add. A negative amount deducts credits.",
  }),
  note: Type.Optional(Type.String({ maxLength: 500 })),
});
const Refund = Type.Object({
  request: Type.String({ minLength: 1, maxLength: 200, description: "As listed in the ledger." }),
  item: Type.String({ minLength: 1, maxLength: 200, description: "As listed in the ledger." }),
  note: Type.Optional(Type.String({ maxLength: 500 })),
});
const UserId = Type.Object({ userId: Type.String() });
const Balance = Type.Object({ userId: Type.String(), balance: Type.Integer() });

export function userRoutes(users: UserService, workspaces: WorkspaceService, credits: CreditService) {
  return routes("/api/v2/users")
    .get("/me", async ({ userId }) => ok(await users.get(named(userId))), {
      access: "users:read",
      docs: answersJson(success(UserView), { tag: "Users", summary: "Get the current user" }),
    })
    .patch("/me", async ({ caller, userId, body: change }) => ok(await users.update(caller, named(userId), change)), {
      access: "users:write",
      body: body(UserUpdate),
      docs: answersJson(success(UserView), { tag: "Users", summary: "Update the current user", errors: ["CONFLICT"] }),
    })
    .post("/", async ({ caller, body: input }) => ok(await users.create(caller, input)), {
      callerOnly: "users:write",
      body: body(UserInput),
      docs: answersJson(success(UserView), {
        tag: "Users",
        summary: "Create a user",
        description: "Admins only. The user starts with a network account and the default credit grant.",
        errors: ["CONFLICT"],
      }),
    })
    .get(
      "/",
      async ({ caller, query: { limit = 50, offset = 0, cursor } }) => {
        const { users: found, total } = await users.list(caller, limit + 1, offset, timePlaceIn(cursor));
        const { items, ...page } = pageOf(found, limit, timePlaceOf);
        return ok({ users: items.map(userView), total, ...page });
      },
      {
        callerOnly: "users:read",
        query: params(Page),
        docs: answersJson(success(UserPage), { tag: "Users", summary: "List users", description: "Admins only." }),
      },
    )
    .put(
      "/:userId",
      async ({ caller, params: { userId }, body: change }) => ok(await users.manage(caller, userId, change)),
      {
        callerOnly: "users:write",
        params: params(UserId),
        body: body(ManagedUserUpdate),
        docs: answersJson(success(UserView), {
          tag: "Users",
          summary: "Update a user",
          description: "Admins only. A deactivated user cannot sign in to any workspace; their data stays.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/:userId/credits",
      async ({ caller, params: { userId }, body: { amount, note } }) =>
        ok({
          userId,
          balance: await credits.grant(caller, await workspaces.namedByAdmin(caller, userId), amount, note ?? null),
        }),
      {
        callerOnly: "users:write",
        params: params(UserId),
        body: body(Grant),
        docs: answersJson(success(Balance), {
          tag: "Users",
          summary: "Grant credits to a user",
          description: "Admins only.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:userId/credits/adjust",
      async ({ caller, params: { userId }, body: { amount, note } }) =>
        ok({
          userId,
          balance: await credits.adjust(caller, await workspaces.namedByAdmin(caller, userId), amount, note ?? null),
        }),
      {
        callerOnly: "users:write",
        params: params(UserId),
        body: body(Adjustment),
        docs: answersJson(success(Balance), {
          tag: "Users",
          summary: "Adjust a user's credits",
          description: "Admins only. The balance cannot fall below zero.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post(
      "/:userId/credits/refund",
      async ({ caller, params: { userId }, body: { note = null, ...charge } }) =>
        ok({
          userId,
          balance: await credits.refund(caller, await workspaces.namedByAdmin(caller, userId), { ...charge, note }),
        }),
      {
        callerOnly: "users:write",
        params: params(UserId),
        body: body(Refund),
        docs: answersJson(success(Balance), {
          tag: "Users",
          summary: "Refund the cost of an item",
          description: "Admins only. Each item of a request can be refunded once.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    );
}

/** The user whom a request acts for, unless a global key names a workspace without its users. */
function named(userId: UserId | null): UserId {
  if (userId !== null) return userId;
  throw invalid([{ path: "userId", message: "Send the ID of a user rather than of a workspace." }]);
}
