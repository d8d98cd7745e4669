import { Type } from "@sinclair/typebox";
import type { Core } from "../../platform/http/core.ts";
import { feature } from "../../platform/http/feature.ts";
import { body, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/responses.ts";
import { ContactQuery, ContactView, NewsInput } from "./relation-model.ts";
import type { RelationService } from "./relation-service.ts";

const Noted = Type.Object({
  isNew: Type.Boolean({ description: "false: it was known, or the account was never in touch with that person." }),
});

export function relationRoutes(core: Core, relations: RelationService) {
  return feature(core, "/api/v2/network/contacts")
    .get(
      "",
      async ({ userId, query: { accountId, profileUrl } }) =>
        ok(await relations.get(userId, accountId, profileUrl ?? "")),
      {
        access: "network:read",
        query: params(ContactQuery),
        detail: answersJson(success(ContactView), {
          tag: "Network",
          summary: "See how an account and a person stand to each other",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post("/events", async ({ userId, body: input }) => ok(await relations.report(userId, input)), {
      access: "network:schedule",
      body: body(NewsInput),
      detail: answersJson(success(Noted), {
        tag: "Network",
        summary: "Tell that somebody accepted or answered",
        description: "For accounts whose connector can't be asked. A reply stops the campaigns that the person is in.",
        errors: ["NOT_FOUND"],
      }),
    });
}
