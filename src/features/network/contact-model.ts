/** How an account and a person stand to each other on the network. */
export const relations = ["none", "pending", "connected"] as const;
export type Relation = (typeof relations)[number];

/** A person whose answer is awaited: since `since` a request is pending (acceptance) or a message unanswered (reply). */
export type Watched = {
  profileUrl: string;
  profileKey: string;
  waitsFor: "acceptance" | "reply";
  since: number;
  /** What the connector called the request or the message, where it is known; some find an answer by nothing else. */
  reference?: string | null;
};

export const newsKinds = ["accepted", "replied"] as const;
export type NewsKind = (typeof newsKinds)[number];
/** What is new with a person, and since when. `text`: what a reply says, where the connector has it. */
export type News = { profileKey: string; kind: NewsKind; at: number; text?: string };

/** Messages of the network are no longer. */
export const maxReplyLength = 8000;

/** Messages that came in a row, in their order, as the text of one reply; without text, nothing. */
export function replyText(messages: readonly (string | null | undefined)[]): Pick<News, "text"> {
  const text = messages
    .map((message) => message?.trim() ?? "")
    .filter((message) => message !== "")
    .join("\n\n");
  return text === "" ? {} : { text: text.slice(0, maxReplyLength) };
}

/** How an account and a person stand to each other, as far as the service has seen or was told. */
export type Contact = {
  accountId: string;
  profileKey: string;
  profileUrl: string;
  relation: Relation;
  /** When the latest request went out. */
  invitedAt: number | null;
  withdrawnAt: number | null;
  connectedAt: number | null;
  /** When the latest message went out. */
  messagedAt: number | null;
  repliedAt: number | null;
  /** What the connector called the latest request or message. */
  reference: string | null;
  updatedAt: number;
};
