import { Type, type Static } from "@sinclair/typebox";
import { maxReplyLength, newsKinds, relations } from "./contact-model.ts";

const reportKinds = [...newsKinds, "messages"] as const;
/** Messages of one report. */
export const maxReportedMessages = 100;

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

export const ReportedMessageInput = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "The network's ID of the message. A message with this ID is stored once, however often it is reported.",
    }),
    direction: Type.Union([Type.Literal("incoming"), Type.Literal("outgoing")], {
      description: "`incoming`: the person wrote it. `outgoing`: the account wrote it.",
    }),
    at: Type.String({ format: "date-time", description: "When it was sent. Messages are ordered by this time." }),
    text: Type.Optional(
      Type.Union([Type.String({ maxLength: maxReplyLength }), Type.Null()], {
        description: "null for what has no text, such as a picture.",
      }),
    ),
  },
  { $id: "ReportedMessage" },
);

export const NewsInput = Type.Object(
  {
    profileUrl: Type.String({ minLength: 1, maxLength: 500 }),
    event: Type.Union(
      reportKinds.map((kind) => Type.Literal(kind)),
      {
        description:
          "`accepted`: the person accepted the connection request. `replied`: the person replied to a message. `messages`: messages of the conversation, in `messages`; new ones from the person are a reply.",
      },
    ),
    accountId: Type.Optional(Type.String({ description: "Defaults to the user's first account." })),
    at: Type.Optional(
      Type.String({ format: "date-time", description: "When it happened. Defaults to now. Not for `messages`." }),
    ),
    text: Type.Optional(
      Type.String({
        maxLength: maxReplyLength,
        description: "Text of the reply. Only for `replied`. Included in the event `message.replied`.",
      }),
    ),
    messages: Type.Optional(
      Type.Array(ReportedMessageInput, {
        minItems: 1,
        maxItems: maxReportedMessages,
        description:
          "Messages of the conversation with the person, in any order. Only for `messages`. Can repeat those that were reported or that outreachd sent.",
      }),
    ),
    personName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "Name that the network shows. Only for `messages`." }),
    ),
    userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
  },
  {
    description: "An accepted invitation, a reply, or messages. Campaigns continue or stop accordingly.",
    examples: [
      {
        profileUrl: "https://www.linkedin.com/in/ada-lovelace",
        event: "messages",
        messages: [
          { id: "2-MTc1", direction: "incoming", at: "2030-06-03T09:14:00Z", text: "Could you show me how it works?" },
        ],
      },
    ],
  },
);
export type NewsInput = Static<typeof NewsInput>;
