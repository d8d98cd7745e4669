import { Type, type Static } from "@sinclair/typebox";
import { parseInstant } from "../../platform/base/clock.ts";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { body, params } from "../../platform/http/input.ts";
import { logPageFields, pageOf, pageQuery, timePlaceIn, timePlaceOf } from "../../platform/http/paging.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { CreditBudgetView, CreditsView, LedgerEntryView, ledgerKinds } from "./model.ts";
import { ledgerEntryView, type CreditService } from "./service.ts";

const instant = (description: string) =>
  Type.Optional(Type.Number({ description: `${description} Unix time, read as on GET /api/v2/users/jobs.` }));

const LedgerQuery = Type.Object({
  kind: Type.Optional(Type.Union(ledgerKinds.map((kind) => Type.Literal(kind)))),
  startDate: instant("Made at or after."),
  endDate: instant("Made at or before."),
  ...pageQuery(100, 500),
});
const LedgerPage = Type.Object({
  entries: Type.Array(LedgerEntryView),
  ...logPageFields,
});
const KeyId = Type.Object({ keyId: Type.String() });
const Budget = Type.Union([CreditBudgetView, Type.Null()], {
  description: "null: no budget, the balance alone counts.",
});
const BudgetInput = Type.Object(
  {
    monthly: Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), Type.Null()], {
      description: "Credits that the key may take in a calendar month (UTC); null = no limit of its own.",
    }),
  },
  { examples: [{ monthly: 500 }] },
);

const readers = ["leads:enrich", "prospecting:search", "users:read"] as const;
const keyManagers = ["api_keys:write", "keys:manage"] as const;

export function creditRoutes(core: Core, credits: CreditService) {
  return feature(core, "/api/v2/credits")
    .get("/", async ({ caller, userId }) => ok(await credits.overview(caller, userId)), {
      access: readers,
      detail: answersJson(success(CreditsView), {
        tag: "Credits",
        summary: "What you can spend, and what things cost",
      }),
    })
    .get("/ledger", async ({ userId, query }) => ok(await page(credits, userId, query)), {
      access: readers,
      query: params(LedgerQuery),
      detail: answersJson(success(LedgerPage), {
        tag: "Credits",
        summary: "Every movement of your credits, newest first",
        description: "The balance is the sum of all amounts.",
      }),
    })
    .get("/budgets/:keyId", async ({ caller, params: { keyId } }) => ok(await credits.budget(caller, keyId)), {
      callerOnly: keyManagers,
      params: params(KeyId),
      detail: answersJson(success(Budget), {
        tag: "Credits",
        summary: "What a key may spend in a month",
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
        detail: answersJson(success(Budget), {
          tag: "Credits",
          summary: "Limit what a key may spend in a month",
          description:
            "A key of yours; an admin limits those of everybody in the team. What an admin has set you can lower, but not lift beyond that or take away. What it took in this month already counts. Beyond the budget its requests get 402.",
          errors: ["NOT_FOUND"],
        }),
      },
    );
}

async function page(credits: CreditService, userId: string, query: Static<typeof LedgerQuery>) {
  const { kind = null, startDate, endDate, limit = 100, cursor } = query;
  const { entries, total } = await credits.ledger({
    userId,
    kind,
    createdFrom: startDate === undefined ? null : parseInstant(startDate),
    createdTo: endDate === undefined ? null : parseInstant(endDate),
    limit: limit + 1,
    after: timePlaceIn(cursor),
  });
  const { items, ...page } = pageOf(entries, limit, timePlaceOf);
  return { entries: items.map(ledgerEntryView), total, ...page };
}
