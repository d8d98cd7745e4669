import { Type, type Static } from "@sinclair/typebox";
import { maxReplyLength, newsKinds, relations } from "./contact-model.ts";

const instantOrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

export const ContactView = Type.Object(
  {
    accountId: Type.String(),
    profileUrl: Type.String(),
    relation: Type.Union(relations.map((relation) => Type.Literal(relation))),
    invitedAt: instantOrNull,
    withdrawnAt: instantOrNull,
    connectedAt: instantOrNull,
    messagedAt: instantOrNull,
    repliedAt: instantOrNull,
  },
  { $id: "NetworkContact", description: "How an account and a person stand to each other, as far as is known." },
);
export type ContactView = Static<typeof ContactView>;

export const ContactQuery = Type.Object({
  profileUrl: Type.Optional(Type.String({ maxLength: 500, description: "Whom you ask about; needed." })),
  accountId: Type.Optional(Type.String({ description: "The user's first account by default." })),
});

export const NewsInput = Type.Object(
  {
    profileUrl: Type.String({ minLength: 1, maxLength: 500 }),
    event: Type.Union(
      newsKinds.map((kind) => Type.Literal(kind)),
      { description: "accepted: the person took the connection request. replied: the person answered." },
    ),
    accountId: Type.Optional(Type.String({ description: "The user's first account by default." })),
    at: Type.Optional(Type.String({ format: "date-time", description: "When; now by default." })),
    text: Type.Optional(
      Type.String({
        maxLength: maxReplyLength,
        description: "replied: what the person wrote. The event message.replied carries it.",
      }),
    ),
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  },
  { description: "Something that happened on the network. Campaigns go on, or stop, by it." },
);
export type NewsInput = Static<typeof NewsInput>;
