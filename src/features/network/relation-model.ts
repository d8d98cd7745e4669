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
  { $id: "NetworkContact", description: "Relationship between an account and a person, as far as it is known." },
);
export type ContactView = Static<typeof ContactView>;

export const ContactQuery = Type.Object({
  profileUrl: Type.Optional(Type.String({ maxLength: 500, description: "Profile URL of the person. Required." })),
  accountId: Type.Optional(Type.String({ description: "Defaults to the user's first account." })),
});

export const NewsInput = Type.Object(
  {
    profileUrl: Type.String({ minLength: 1, maxLength: 500 }),
    event: Type.Union(
      newsKinds.map((kind) => Type.Literal(kind)),
      {
        description:
          "`accepted`: the person accepted the connection request. `replied`: the person replied to a message.",
      },
    ),
    accountId: Type.Optional(Type.String({ description: "Defaults to the user's first account." })),
    at: Type.Optional(Type.String({ format: "date-time", description: "When it happened. Defaults to now." })),
    text: Type.Optional(
      Type.String({
        maxLength: maxReplyLength,
        description: "Text of the reply. Only for `replied`. Included in the event `message.replied`.",
      }),
    ),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  { description: "An accepted invitation or a reply. Campaigns continue or stop accordingly." },
);
export type NewsInput = Static<typeof NewsInput>;
