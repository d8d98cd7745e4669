import { Type, type Static } from "@sinclair/typebox";
import { EnrichInput, maxDirectLeads } from "./model.ts";

export const CompanyToEnrich = Type.Object(
  {
    name: Type.Optional(Type.Union([Type.String({ maxLength: 300 }), Type.Null()], { description: "Name." })),
    domain: Type.Optional(
      Type.Union([Type.String({ maxLength: 253 }), Type.Null()], {
        description: "Domain or website. More reliable than the name, which several companies can have.",
      }),
    ),
  },
  { additionalProperties: false, description: "Requires `name` or `domain`." },
);
export type CompanyToEnrich = Static<typeof CompanyToEnrich>;

export const EnrichCompaniesInput = Type.Object(
  {
    companies: Type.Array(CompanyToEnrich, { minItems: 1, maxItems: maxDirectLeads }),
    ...Type.Pick(EnrichInput, ["providers", "refresh", "dryRun", "userId"]).properties,
  },
  { additionalProperties: false, examples: [{ companies: [{ domain: "example.com" }, { name: "Acme" }] }] },
);
export type EnrichCompaniesInput = Static<typeof EnrichCompaniesInput>;
