import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { body, params } from "../../platform/http/input.ts";
import { pageFields, pageOfAll, pageQuery } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { requireApprover } from "../../platform/auth/caller.ts";
import { AccountInput, AccountUpdate, AccountView } from "./account-model.ts";
import { accountUser } from "./may-use.ts";
import type { AccountService } from "./account-service.ts";
import { PlanView, UsageView, WhatIfInput } from "./forecast-model.ts";
import type { ForecastService } from "./forecast-service.ts";

const AccountQuery = Type.Object(pageQuery(1000, 1000));
const AccountList = Type.Object({ accounts: Type.Array(AccountView), ...pageFields });
const byId = params(Type.Object({ accountId: Type.String() }));
const PlanQuery = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, default: 100 })) });
const forUser = { userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })) };
const Removed = Type.Object({ success: Type.Literal(true), message: Type.String() });

export function accountRoutes(accounts: AccountService, forecasts: ForecastService) {
  return routes("/api/v2/network/accounts")
    .get(
      "",
      async ({ workspaceId, query: { limit = 1000, cursor } }) => {
        const all = await accounts.list(workspaceId);
        const { items, ...page } = pageOfAll(all, { limit, cursor, idOf: ({ id }) => id, newestFirst: false });
        return ok({ accounts: items, ...page });
      },
      {
        access: "network:read",
        query: params(AccountQuery),
        docs: answersJson(success(AccountList), { tag: "Network accounts", summary: "List network accounts" }),
      },
    )
    .post("", async (context) => ok(await accounts.create(accountUser(context), context.body)), {
      access: "network:schedule",
      body: body(
        Type.Object({ ...AccountInput.properties, ...forUser }, { description: AccountInput.description ?? "" }),
      ),
      docs: answersJson(success(AccountView), { tag: "Network accounts", summary: "Add a network account" }),
    })
    .get(
      "/:accountId",
      async ({ workspaceId, params: { accountId } }) => ok(await accounts.get(workspaceId, accountId)),
      {
        access: "network:read",
        params: byId,
        docs: answersJson(success(AccountView), {
          tag: "Network accounts",
          summary: "Get a network account",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .patch(
      "/:accountId",
      async (context) => {
        const { caller, params, body: change } = context;
        if (change.requiresApproval === false) requireApprover(caller, "let an account act without approval");
        return ok(await accounts.update(accountUser(context), params.accountId, change));
      },
      {
        access: "network:schedule",
        params: byId,
        body: body(
          Type.Object({ ...AccountUpdate.properties, ...forUser }, { description: AccountUpdate.description ?? "" }),
        ),
        docs: answersJson(success(AccountView), {
          tag: "Network accounts",
          summary: "Update a network account",
          description: "Also pauses or resumes the account. Its pending actions are rescheduled with the new settings.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .delete(
      "/:accountId",
      async (context) => {
        const { accountId } = context.params;
        await accounts.remove(accountUser(context), accountId);
        return { success: true as const, message: `Network account ${accountId} removed.` };
      },
      {
        access: "network:schedule",
        params: byId,
        docs: answersJson(Removed, {
          tag: "Network accounts",
          summary: "Remove a network account",
          description: "Allowed only for an account that has never performed an action.",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .get(
      "/:accountId/usage",
      async ({ workspaceId, params: { accountId } }) => ok(await forecasts.usage(workspaceId, accountId)),
      {
        access: "network:read",
        params: byId,
        docs: answersJson(success(UsageView), {
          tag: "Network accounts",
          summary: "Get the cap usage of an account",
          description:
            "For each meter and rolling window: the current limit, actions used, remaining, and planned, and when capacity becomes available.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/:accountId/plan",
      async ({ workspaceId, params: { accountId }, query: { limit = 100 } }) =>
        ok(await forecasts.plan(workspaceId, accountId, undefined, limit)),
      {
        access: "network:read",
        params: byId,
        query: params(PlanQuery),
        docs: answersJson(success(PlanView), {
          tag: "Network accounts",
          summary: "Get the plan of an account for the next seven days",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/:accountId/plan",
      async ({ workspaceId, params: { accountId }, body: { caps, limit = 100 } }) =>
        ok(await forecasts.plan(workspaceId, accountId, caps, limit)),
      {
        access: "network:read",
        params: byId,
        body: body(WhatIfInput),
        docs: answersJson(success(PlanView), {
          tag: "Network accounts",
          summary: "Preview the plan of an account with different caps",
          description: "Forecasts the next seven days. Nothing is stored.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}
