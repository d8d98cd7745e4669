import { Type, type Static } from "@sinclair/typebox";

export const defaultWeeks = 8;
export const maxWeeks = 26;

const people = (description: string) => Type.Integer({ description });

export const WeekView = Type.Object(
  {
    week: Type.String({ format: "date", description: "Monday with which the week begins, in your time zone." }),
    invites: people("Connection requests that were sent."),
    messages: people("Messages that were sent: messages, voice messages, and InMails."),
    sent: people("Connection requests and messages together."),
    accepted: people("People who accepted a connection request."),
    replied: people("People who wrote. Each counts once a week."),
  },
  { $id: "WeekStatistics" },
);
export type WeekView = Static<typeof WeekView>;

export const WeeklyStatistics = Type.Object({
  timeZone: Type.String(),
  weeks: Type.Array(WeekView, { description: "Oldest first. The last one is the current week." }),
});
export type WeeklyStatistics = Static<typeof WeeklyStatistics>;
