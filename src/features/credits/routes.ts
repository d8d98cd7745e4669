import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../../platform/base/clock.ts";
import { routes } from "../../platform/http/route.ts";
import { body, params } from "../../platform/http/input.ts";
import { logPageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { CreditBudgetView, CreditsView, LedgerEntryView, ledgerKinds } from "./model.ts";
import { ledgerEntryView, type CreditService } from "./service.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

const instant = (description: string) =>
  Type.Optional(Type.Number({ description: `${description} Unix time, interpreted as in GET /api/v2/users/jobs.` }));

const LedgerQuery = Type.Object({
  kind: Type.Optional(Type.Union(ledgerKinds.map((kind) => Type.Literal(kind)))),
  startDate: instant("Entries created at or after this time."),
  endDate: instant("Entries created at or before this time."),
  ...pageQuery(100, 500),
});
const LedgerPage = Type.Object({
  entries: Type.Array(LedgerEntryView),
  ...logPageFields,
});
const KeyId = Type.Object({ keyId: Type.String() });
const Budget = Type.Union([CreditBudgetView, Type.Null()], {
  description: "Budget of the key. null if it has none and is limited by the balance alone.",
});
const BudgetInput = Type.Object(
  {
    monthly: Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], {
      description: "Credits the key can spend per calendar month (UTC). null removes the limit.",
    }),
  },
  { examples: [{ monthly: 500 }] },
);

const readers = ["leads:enrich", "prospecting:search", "users:read"] as const;
const keyManagers = ["api_keys:write", "keys:manage"] as const;

export function creditRoutes(credits: CreditService) {
  return routes("/api/v2/credits")
    .get("/", async ({ caller, workspaceId }) => ok(await credits.overview(caller, workspaceId)), {
      access: readers,
      docs: answersJson(success(CreditsView), {
        tag: "Credits",
        summary: "Get credit balance and prices",
      }),
    })
    .get("/ledger", async ({ workspaceId, query }) => ok(await page(credits, workspaceId, query)), {
      access: readers,
      query: params(LedgerQuery),
      docs: answersJson(success(LedgerPage), {
        tag: "Credits",
        summary: "List credit ledger entries, newest first",
        description: "The sum of all amounts is the current balance.",
      }),
    })
    .get("/budgets/:keyId", async ({ caller, params: { keyId } }) => ok(await credits.budget(caller, keyId)), {
      callerOnly: keyManagers,
      params: params(KeyId),
      docs: answersJson(success(Budget), {
        tag: "Credits",
        summary: "Get the monthly budget of a key",
        errors: ["NOT_FOUND"],
      }),
    })
    .put(
      "/budgets/:keyId",
      async ({ caller, params: { keyId }, body: { monthly } }) => ok(await credits.setBudget(caller, keyId, monthly)),
      {
        callerOnly: keyManagers,
        params: params(KeyId),
        body: body(BudgetInput),
        docs: answersJson(success(Budget), {
          tag: "Credits",
          summary: "Set the monthly budget of a key",
          description:
            "You can limit your own keys; an admin can limit any key in the team. A budget set by an admin can be lowered, but not raised or removed, by the owner of the key. Credits already spent this month count toward the budget. Requests that would exceed it return 402.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

async function page(credits: CreditService, workspaceId: WorkspaceId, query: Static<typeof LedgerQuery>) {
  const { kind = null, startDate, endDate, limit = 100, cursor } = query;
  const { entries, total } = await credits.ledger({
    workspaceId,
    kind,
    createdFrom: startDate === undefined ? null : parseInstant(startDate),
    createdTo: endDate === undefined ? null : parseInstant(endDate),
    limit: limit + 1,
    after: timePlaceIn(cursor),
  });
  const { items, ...page } = pageOf(entries, limit, timePlaceOf);
  return { entries: items.map(ledgerEntryView), total, ...page };
}
