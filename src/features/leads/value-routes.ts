import { Type } from "@sinclair/typebox";
import { params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { valueFields, LeadValues } from "./value-model.ts";
import type { LeadValueService } from "./value-service.ts";

const ValuesQuery = Type.Object({
  field: Type.Union(
    valueFields.map((field) => Type.Literal(field)),
    { description: "Field of leads. `customField` without `name` returns the names of custom fields." },
  ),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Name of the custom field." })),
  contains: Type.Optional(
    Type.String({ maxLength: 300, description: "This text is in the value; case does not matter." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
});

export function leadValueRoutes(values: LeadValueService) {
  return routes("/api/v2/leads").get(
    "/values",
    async ({ workspaceId, query }) => ok({ values: await values.find(workspaceId, query) }),
    {
      access: "leads:read",
      query: params(ValuesQuery),
      docs: answersJson(success(LeadValues), {
        tag: "Leads",
        summary: "List the values of a field",
        description:
          "The most frequent values that leads have, with the number of leads: for suggestions while a person types. Names of custom fields come from the newest 20,000 leads that have any.",
      }),
    },
  );
}
