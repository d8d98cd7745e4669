import { Type } from "@sinclair/typebox";
import { routes } from "../../platform/http/route.ts";
import { body, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { ok } from "../../platform/http/request-context.ts";
import { ContactQuery, ContactView, NewsInput } from "./relation-model.ts";
import { accountUser } from "./may-use.ts";
import type { RelationService } from "./relation-service.ts";

const Noted = Type.Object({
  isNew: Type.Boolean({
    description:
      "false if the event was already known, or if this person is no lead and the account has never contacted them.",
  }),
  newMessages: Type.Integer({ description: "Number of messages that were not stored yet." }),
});

export function relationRoutes(relations: RelationService) {
  return routes("/api/v2/network/contacts")
    .get(
      "",
      async (context) => {
        const { accountId, profileUrl } = context.query;
        return ok(await relations.get(accountUser(context), accountId, profileUrl ?? ""));
      },
      {
        access: "network:read",
        query: params(ContactQuery),
        docs: answersJson(success(ContactView), {
          tag: "Network",
          summary: "Get the relationship between an account and a person",
          errors: ["NOT_FOUND", "CONFLICT"],
        }),
      },
    )
    .post("/events", async (context) => ok(await relations.report(accountUser(context), context.body)), {
      access: "network:schedule",
      body: body(NewsInput),
      docs: answersJson(success(Noted), {
        tag: "Network",
        summary: "Report an accepted invitation, a reply, or messages",
        description:
          "For accounts whose connector cannot be polled. A reply ends the person's active campaigns. Safe to repeat: a message that was reported before, or that outreachd sent itself, is not stored again, and a late one is stored at its time.",
        errors: ["NOT_FOUND"],
      }),
    });
}
