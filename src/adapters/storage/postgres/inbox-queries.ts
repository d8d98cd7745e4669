import { and, count, desc, eq, gt, inArray, isNotNull, isNull, lte, or, sql, type SQL } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Conversation, ConversationFilter } from "../../../features/inbox/model.ts";
import type { ConversationPageRequest, InboxStore } from "../../../features/inbox/store.ts";
import { foldedWord, searchedMessages } from "../../../features/inbox/words.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection, Engine } from "./engine.ts";
import { conversations, messages } from "./inbox-tables.ts";
import { countRows } from "./list-pages.ts";
import { networkAccounts, networkActions } from "./network-tables.ts";
import { jobs } from "./tables.ts";

type Queries = Pick<
  InboxStore,
  "conversations" | "countConversations" | "conversation" | "messages" | "countMessages" | "unread"
>;

/** Reads conversations and messages. */
export function createInboxQueries({ orm }: Engine): Queries {
  const columns = { row: conversations, accountId: networkAccounts.id };
  const select = () =>
    orm.select(columns).from(conversations).innerJoin(networkAccounts, eq(networkAccounts.seq, conversations.account));

  async function page(request: ConversationPageRequest): Promise<Conversation[]> {
    const { limit, after } = request;
    const isAfter =
      after === null ? undefined : sql`(${conversations.lastAt}, ${conversations.id}) < (${after.lastAt}, ${after.id})`;
    const found = await select()
      .where(and(filtered(orm, request), isAfter))
      .orderBy(desc(conversations.lastAt), desc(conversations.id))
      .limit(limit);
    return found.map(conversationOf);
  }

  const ofConversation = (workspaceId: WorkspaceId, id: string) =>
    sql`${messages.conversation} = (SELECT ${conversations.seq} FROM ${conversations}
      WHERE ${conversations.id} = ${id} AND ${conversations.workspaceId} = ${workspaceId})`;

  return {
    conversations: page,
    countConversations: (request) =>
      countRows(
        orm,
        orm.select({ seq: conversations.seq }).from(conversations).where(filtered(orm, request)).$dynamic(),
      ),
    async conversation(workspaceId, id) {
      const [found] = await select().where(and(eq(conversations.id, id), eq(conversations.workspaceId, workspaceId)));
      return found === undefined ? null : conversationOf(found);
    },
    async messages(workspaceId, conversationId, limit, after) {
      const isAfter = after === null ? undefined : sql`(${messages.at}, ${messages.seq}) < (${after.at}, ${after.seq})`;
      const found = await orm
        .select({
          row: messages,
          campaignId: networkActions.campaignId,
          scheduledFor: networkActions.slotAt,
          status: jobs.message,
          pendingReason: networkActions.pendingReason,
        })
        .from(messages)
        .leftJoin(networkActions, eq(networkActions.jobId, messages.id))
        .leftJoin(jobs, eq(jobs.id, messages.id))
        .where(and(ofConversation(workspaceId, conversationId), isAfter))
        .orderBy(desc(messages.at), desc(messages.seq))
        .limit(limit);
      return found.map(
        ({
          row: { workspaceId: _workspace, conversation: _conversation, profileKey: _key, search: _search, ...row },
          ...action
        }) => ({
          ...row,
          ...action,
        }),
      );
    },
    countMessages: (workspaceId, id) =>
      countRows(
        orm,
        orm.select({ seq: messages.seq }).from(messages).where(ofConversation(workspaceId, id)).$dynamic(),
      ),
    async unread(workspaceId, userId) {
      const { assignedTo } = conversations;
      const [row] = await orm
        .select({
          total: count(),
          mine: sql<number>`count(*) FILTER (WHERE ${assignedTo} = ${userId})`,
          unassigned: sql<number>`count(*) FILTER (WHERE ${assignedTo} IS NULL)`,
        })
        .from(conversations)
        .where(and(eq(conversations.workspaceId, workspaceId), sql`${conversations.unread} > 0`));
      return row ?? { total: 0, mine: 0, unassigned: 0 };
    },
  };
}

/** The conditions repeat those of the partial indexes. */
function filtered(
  orm: Connection,
  { workspaceId, filter, now }: Pick<ConversationPageRequest, "workspaceId" | "filter" | "now">,
): SQL | undefined {
  const { unread, assignedTo, label, isSnoozed, accountId, leadId, profileKey, hasReply, words } = filter;
  const { snoozedUntil } = conversations;
  return and(
    eq(conversations.workspaceId, workspaceId),
    unread === undefined ? undefined : unread ? sql`${conversations.unread} > 0` : sql`${conversations.unread} = 0`,
    assignedTo === undefined ? undefined : isAssignedTo(assignedTo),
    label === undefined ? undefined : and(isNotNull(conversations.label), eq(conversations.label, label)),
    isSnoozed === undefined
      ? undefined
      : isSnoozed
        ? gt(snoozedUntil, now)
        : or(isNull(snoozedUntil), lte(snoozedUntil, now)),
    accountId === undefined ? undefined : isOfAccount(accountId),
    leadId === undefined ? undefined : eq(conversations.leadId, leadId),
    profileKey === undefined ? undefined : eq(conversations.profileKey, profileKey),
    hasReply === undefined
      ? undefined
      : hasReply
        ? isNotNull(conversations.receivedAt)
        : isNull(conversations.receivedAt),
    words === undefined || words.length === 0 ? undefined : hasWords(orm, workspaceId, words),
  );
}

function isAssignedTo(userId: NonNullable<ConversationFilter["assignedTo"]> | null): SQL | undefined {
  const { assignedTo } = conversations;
  return userId === null ? isNull(assignedTo) : and(isNotNull(assignedTo), eq(assignedTo, userId));
}

function isOfAccount(accountId: string): SQL {
  return sql`${conversations.account} = (SELECT ${networkAccounts.seq} FROM ${networkAccounts} WHERE ${networkAccounts.id} = ${accountId})`;
}

/** The latest messages first: of a word that nearly all have, only those are read. */
function hasWords(orm: Connection, workspaceId: WorkspaceId, words: readonly string[]): SQL {
  const query = sql`to_tsquery('simple', ${words.map((word) => `${foldedWord(word)}:*`).join(" & ")})`;
  const matching = orm
    .select({ conversation: messages.conversation })
    .from(messages)
    .where(and(eq(messages.workspaceId, workspaceId), sql`${messages.search} @@ ${query}`))
    .orderBy(desc(messages.seq))
    .limit(searchedMessages)
    .as("matching");
  const named = orm
    .select({ conversation: conversations.seq })
    .from(conversations)
    .where(and(eq(conversations.workspaceId, workspaceId), sql`${conversations.search} @@ ${query}`))
    .limit(searchedMessages)
    .as("named");
  const found = unionAll(
    orm.select({ conversation: matching.conversation }).from(matching),
    orm.select({ conversation: named.conversation }).from(named),
  );
  return inArray(conversations.seq, found);
}

/** The conversation that a row represents. */
export function conversationOf({
  row: { seq: _seq, account: _account, readTo: _readTo, search: _search, ...row },
  accountId,
}: {
  row: typeof conversations.$inferSelect;
  accountId: string;
}): Conversation {
  return { ...row, accountId };
}
