import { Type, type Static } from "@sinclair/typebox";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { decodeCursor, encodeCursor, wholeIn } from "../../platform/http/cursor.ts";
import { body, params } from "../../platform/http/input.ts";
import { answersJson, success } from "../../platform/http/openapi.ts";
import { logPageFields, pageQuery } from "../../platform/http/paging.ts";
import { ok, type RequestContext } from "../../platform/http/request-context.ts";
import { routes } from "../../platform/http/route.ts";
import { schedulerOf } from "../network/may-use.ts";
import {
  ConversationUpdate,
  ConversationView,
  labels,
  MessageView,
  ReplyInput,
  type ConversationFilter,
} from "./model.ts";
import type { InboxService } from "./service.ts";
import { searchWords } from "./words.ts";

const byId = params(Type.Object({ conversationId: Type.String() }));
const yesOrNo = (description: string) => Type.Optional(Type.Boolean({ description }));

const ConversationQuery = Type.Object({
  unread: yesOrNo("true: only conversations with unread messages. false: only those without."),
  replied: yesOrNo("true: only people who have written. false: only people who have not."),
  snoozed: Type.Optional(
    Type.Union([Type.Literal("exclude"), Type.Literal("only"), Type.Literal("include")], {
      default: "exclude",
      description: "Conversations that are hidden until later.",
    }),
  ),
  assignedTo: Type.Optional(Type.String({ description: "ID of a member, `me`, or `none`." })),
  label: Type.Optional(Type.Union(labels.map((label) => Type.Literal(label)))),
  accountId: Type.Optional(Type.String()),
  leadId: Type.Optional(Type.String()),
  profileUrl: Type.Optional(Type.String({ maxLength: 500 })),
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        "Beginnings of words that the name of the person or one message contains, or the beginning of the person's handle, the last part of the profile URL. Of very frequent words, the latest 1,000 messages are searched.",
    }),
  ),
  ...pageQuery(50, 100),
});
const ConversationList = Type.Object({ conversations: Type.Array(ConversationView), ...logPageFields });
const MessageList = Type.Object({ messages: Type.Array(MessageView), ...logPageFields });
const Replied = Type.Object({
  message: MessageView,
  isNew: Type.Boolean({ description: "false if the same reply was already queued, or sent a moment ago." }),
  dryRun: Type.Boolean({ description: "true: nothing was stored or sent." }),
});
const Unread = Type.Object({
  total: Type.Integer({ description: "Conversations with unread messages that are not snoozed." }),
  mine: Type.Integer({ description: "Those assigned to the user." }),
  unassigned: Type.Integer({ description: "Those assigned to no one." }),
});

export function inboxRoutes(inbox: InboxService) {
  return routes("/api/v2/inbox")
    .get(
      "/conversations",
      async (context) => {
        const { workspaceId, query } = context;
        const { limit = 50, cursor } = query;
        const after = cursor === undefined ? null : conversationPlace(cursor);
        const { last, ...page } = await inbox.page(workspaceId, filterOf(query, context), limit, after);
        return ok({ ...page, limit, nextCursor: last === null ? null : encodeCursor([last.lastAt, last.id]) });
      },
      {
        access: "network:read",
        query: params(ConversationQuery),
        docs: answersJson(success(ConversationList), {
          tag: "Inbox",
          summary: "List conversations, latest message first",
          description: "A conversation is what a network account and a person have written to each other.",
        }),
      },
    )
    .get("/unread", async ({ workspaceId, userId }) => ok(await inbox.unread(workspaceId, userId)), {
      access: "network:read",
      docs: answersJson(success(Unread), { tag: "Inbox", summary: "Count conversations with unread messages" }),
    })
    .get(
      "/conversations/:conversationId",
      async ({ workspaceId, params: { conversationId } }) => ok(await inbox.get(workspaceId, conversationId)),
      {
        access: "network:read",
        params: byId,
        docs: answersJson(success(ConversationView), {
          tag: "Inbox",
          summary: "Get a conversation",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .patch(
      "/conversations/:conversationId",
      async (context) => ok(await inbox.update(context, context.params.conversationId, context.body)),
      {
        access: "network:schedule",
        params: byId,
        body: body(ConversationUpdate),
        docs: answersJson(success(ConversationView), {
          tag: "Inbox",
          summary: "Update a conversation",
          description:
            "Sets its label, its assignee, and until when it is snoozed, and marks it as read or unread. Emits `conversation.updated`.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .get(
      "/conversations/:conversationId/messages",
      async ({ workspaceId, params: { conversationId }, query: { limit = 50, cursor } }) => {
        const after = cursor === undefined ? null : messagePlace(cursor);
        const { last, ...page } = await inbox.messages(workspaceId, conversationId, limit, after);
        return ok({ ...page, limit, nextCursor: last === null ? null : encodeCursor([last.at, last.seq]) });
      },
      {
        access: "network:read",
        params: byId,
        query: params(Type.Object(pageQuery(50, 100))),
        docs: answersJson(success(MessageList), {
          tag: "Inbox",
          summary: "List the messages of a conversation, latest first",
          description: "Queued messages come first, because they are sent last.",
          errors: ["NOT_FOUND"],
        }),
      },
    )
    .post(
      "/conversations/:conversationId/reply",
      async (context) => ok(await inbox.reply(schedulerOf(context), context.params.conversationId, context.body)),
      {
        access: "network:schedule",
        params: byId,
        body: body(ReplyInput),
        docs: answersJson(success(Replied), {
          tag: "Inbox",
          summary: "Reply to a person",
          description:
            "Sends a message, or with `voiceId` a voice message, before the other actions of the account. It counts toward the caps, and waits for the account's working hours. The message is also a network action, with the same ID. Safe to repeat: the same text is sent once. Send an Idempotency-Key to be sure.",
          errors: ["NOT_FOUND", "CONFLICT", "DO_NOT_CONTACT"],
        }),
      },
    );
}

type Query = Static<typeof ConversationQuery>;

function filterOf(query: Query, { userId }: Pick<RequestContext, "userId">): ConversationFilter {
  const { unread, replied, snoozed = "exclude", assignedTo, label, accountId, leadId, profileUrl, q } = query;
  return {
    ...(unread !== undefined && { unread }),
    ...(replied !== undefined && { hasReply: replied }),
    ...(snoozed !== "include" && { isSnoozed: snoozed === "only" }),
    ...(assignedTo !== undefined && { assignedTo: assigneeOf(assignedTo, userId) }),
    ...(label !== undefined && { label }),
    ...(accountId !== undefined && { accountId }),
    ...(leadId !== undefined && { leadId }),
    ...(profileUrl !== undefined && { profileKey: canonicalProfileUrl(profileUrl) ?? "" }),
    ...(q !== undefined && { words: searchWords(q), ...handleOf(q) }),
  };
}

/** A search for one word can be for the handle of a person, or for the URL of their profile. */
function handleOf(q: string): { handle?: string } {
  const text = q.trim().replace(/\/+$/, "");
  const key = canonicalProfileUrl(text.includes("/") ? text : `https://network.example/in/${text}`);
  const handle = key?.split("/").at(-1) ?? "";
  return handle === "" ? {} : { handle };
}

/** `me` of a key without a user is no one, whose conversations do not exist. */
function assigneeOf(word: string, userId: string | null): string | null {
  if (word === "none") return null;
  return word === "me" ? (userId ?? "") : word;
}

function conversationPlace(cursor: string): { lastAt: number; id: string } {
  const [lastAt, id] = decodeCursor(cursor, 2);
  return { lastAt: wholeIn(lastAt), id: String(id) };
}

function messagePlace(cursor: string): { at: number; seq: number } {
  const [at, seq] = decodeCursor(cursor, 2);
  return { at: wholeIn(at), seq: wholeIn(seq) };
}
