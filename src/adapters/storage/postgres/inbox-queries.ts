import { and, count, desc, eq, getTableColumns, gt, inArray, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import type { Conversation, ConversationFilter } from "../../../features/inbox/model.ts";
import { audioSeconds, maxPreview } from "../../../features/inbox/recording.ts";
import { soonestOf } from "../../../features/inbox/soonest.ts";
import type { ConversationPageRequest, InboxStore } from "../../../features/inbox/store.ts";
import { neverAt } from "../../../features/network/action-model.ts";
import { foldedWord, searchedMessages } from "../../../features/inbox/words.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Connection, Engine } from "./engine.ts";
import { conversations, messages } from "./inbox-tables.ts";
import { withHandle } from "./inbox-handles.ts";
import { countRows } from "./list-pages.ts";
import { networkAccounts, networkActions } from "./network-tables.ts";
import { jobs } from "./tables.ts";

type Queries = Pick<
  InboxStore,
  "conversations" | "countConversations" | "conversation" | "queued" | "messages" | "countMessages" | "unread"
>;

// The words of the search are as long as the rest of a row.
const { search: _search, ...shownOfConversation } = getTableColumns(conversations);
export const conversationColumns = shownOfConversation;
const { search: _words, ...messageColumns } = getTableColumns(messages);

/** Reads conversations and messages. */
export function createInboxQueries({ orm }: Engine): Queries {
  const select = () =>
    orm
      .select({ row: conversationColumns, accountId: networkAccounts.id })
      .from(conversations)
      .innerJoin(networkAccounts, eq(networkAccounts.seq, conversations.account));

  async function page(request: ConversationPageRequest): Promise<Conversation[]> {
    const { limit, after, filter } = request;
    // An index of this order would be read to its end for the few conversations that a search has found.
    const lastAt = (filter.words ?? []).length > 0 ? sql`${conversations.lastAt} + 0` : conversations.lastAt;
    const isAfter = after === null ? undefined : sql`(${lastAt}, ${conversations.id}) < (${after.lastAt}, ${after.id})`;
    const found = await select()
      .where(and(await filtered(orm, request), isAfter))
      .orderBy(desc(lastAt), desc(conversations.id))
      .limit(limit);
    return found.map(conversationOf);
  }

  const ofConversation = (workspaceId: WorkspaceId, id: string) =>
    sql`${messages.conversation} = (SELECT ${conversations.seq} FROM ${conversations}
      WHERE ${conversations.id} = ${id} AND ${conversations.workspaceId} = ${workspaceId})`;

  return {
    conversations: page,
    async countConversations(request) {
      const where = await filtered(orm, request);
      const { lastAt } = conversations;
      const matching = orm.select({ lastAt }).from(conversations).where(where).$dynamic();
      // In the order of the indexes of lists, PostgreSQL reads only those, which takes half as long as reading the rows.
      return countRows(orm, isFoundByOther(request.filter) ? matching : matching.orderBy(desc(lastAt)));
    },
    async conversation(workspaceId, id) {
      const [found] = await select().where(and(eq(conversations.id, id), eq(conversations.workspaceId, workspaceId)));
      return found === undefined ? null : conversationOf(found);
    },
    async queued(workspaceId, ids) {
      if (ids.length === 0) return new Map();
      const rows = await orm
        .select({ conversation: conversations.id, ...queuedColumns })
        .from(conversations)
        .innerJoin(messages, and(eq(messages.conversation, conversations.seq), eq(messages.at, neverAt)))
        .innerJoin(networkActions, eq(networkActions.jobId, messages.id))
        .innerJoin(networkAccounts, eq(networkAccounts.seq, networkActions.account))
        .where(and(inArray(conversations.id, [...ids]), eq(conversations.workspaceId, workspaceId)))
        .orderBy(desc(networkActions.isUrgent), messages.seq);
      return soonestOf(rows);
    },
    async messages(workspaceId, conversationId, limit, after) {
      const isAfter = after === null ? undefined : sql`(${messages.at}, ${messages.seq}) < (${after.at}, ${after.seq})`;
      const found = await orm
        .select({
          row: messageColumns,
          campaignId: networkActions.campaignId,
          ...planColumns,
          status: jobs.message,
          job: jobs.metadata,
        })
        .from(messages)
        .leftJoin(networkActions, eq(networkActions.jobId, messages.id))
        .leftJoin(networkAccounts, eq(networkAccounts.seq, networkActions.account))
        .leftJoin(jobs, eq(jobs.id, messages.id))
        .where(and(ofConversation(workspaceId, conversationId), isAfter))
        .orderBy(desc(messages.at), desc(messages.seq))
        .limit(limit);
      return found.map(
        ({
          row: { workspaceId: _workspace, conversation: _conversation, profileKey: _key, ...row },
          job,
          ...action
        }) => ({ ...row, ...action, seconds: audioSeconds(job) }),
      );
    },
    countMessages: (workspaceId, id) =>
      countRows(
        orm,
        orm.select({ seq: messages.seq }).from(messages).where(ofConversation(workspaceId, id)).$dynamic(),
      ),
    async unread(workspaceId, userId, now) {
      const { assignedTo, snoozedUntil } = conversations;
      const [row] = await orm
        .select({
          total: count(),
          mine: sql<number>`count(*) FILTER (WHERE ${assignedTo} = ${userId})`,
          unassigned: sql<number>`count(*) FILTER (WHERE ${assignedTo} IS NULL)`,
        })
        .from(conversations)
        .where(
          and(
            eq(conversations.workspaceId, workspaceId),
            sql`${conversations.unread} > 0`,
            sql`coalesce(${snoozedUntil}, 0) <= ${now}`,
          ),
        );
      return row ?? { total: 0, mine: 0, unassigned: 0 };
    },
  };
}

const planColumns = {
  ...{ actionState: networkActions.state, accountState: networkAccounts.state },
  ...{ scheduledFor: networkActions.slotAt, pendingReason: networkActions.pendingReason },
};
const queuedColumns = {
  ...planColumns,
  ...{ id: messages.id, kind: messages.kind, userId: messages.userId, campaignId: networkActions.campaignId },
  text: sql<string | null>`left(${messages.text}, ${maxPreview})`,
};

/** The conditions repeat those of the partial indexes. */
async function filtered(
  orm: Connection,
  { workspaceId, filter, now }: Pick<ConversationPageRequest, "workspaceId" | "filter" | "now">,
): Promise<SQL | undefined> {
  const { unread, assignedTo, label, isSnoozed, accountId, leadId, profileKey, hasReply, words, handle } = filter;
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
        : // Without OR, which would combine two indexes instead of reading one in its order.
          sql`coalesce(${snoozedUntil}, 0) <= ${now}`,
    accountId === undefined ? undefined : isOfAccount(accountId),
    leadId === undefined ? undefined : eq(conversations.leadId, leadId),
    profileKey === undefined ? undefined : eq(conversations.profileKey, profileKey),
    hasReply === undefined
      ? undefined
      : hasReply
        ? isNotNull(conversations.receivedAt)
        : isNull(conversations.receivedAt),
    words === undefined || words.length === 0
      ? undefined
      : inArray(conversations.seq, await found(orm, workspaceId, words, handle)),
  );
}

async function found(
  orm: Connection,
  workspaceId: WorkspaceId,
  words: readonly string[],
  handle: string | undefined,
): Promise<number[]> {
  const people = handle === undefined ? [] : withHandle(orm, workspaceId, handle);
  return [...new Set((await Promise.all([withWords(orm, workspaceId, words), people])).flat())];
}

/** Whether an index without the order of lists finds the conversations. */
function isFoundByOther({ words = [], leadId, profileKey, accountId }: ConversationFilter): boolean {
  return words.length > 0 || [leadId, profileKey, accountId].some((each) => each !== undefined);
}

function isAssignedTo(userId: NonNullable<ConversationFilter["assignedTo"]> | null): SQL | undefined {
  const { assignedTo } = conversations;
  return userId === null ? isNull(assignedTo) : and(isNotNull(assignedTo), eq(assignedTo, userId));
}

function isOfAccount(accountId: string): SQL {
  return sql`${conversations.account} = (SELECT ${networkAccounts.seq} FROM ${networkAccounts} WHERE ${networkAccounts.id} = ${accountId})`;
}

/**
 * The numbers of conversations with these words. PostgreSQL cannot tell in advance whether many messages match, and would
 * read a million for one of them, or sort a million to show the latest. So it is asked about the latest ones first.
 */
async function withWords(orm: Connection, workspaceId: WorkspaceId, words: readonly string[]): Promise<number[]> {
  const query = sql`to_tsquery('simple', ${words.map((word) => `${foldedWord(word)}:*`).join(" & ")})`;
  const isMatch = sql`"search" @@ ${query}`;
  const latest = (limit: number) =>
    orm
      .select({ conversation: messages.conversation, search: sql`${messages.search}`.as("search") })
      .from(messages)
      .where(eq(messages.workspaceId, workspaceId))
      .orderBy(desc(messages.seq))
      .limit(limit)
      .as("latest");
  const [probe] = await orm.select({ n: count() }).from(latest(probed)).where(isMatch);
  // No other index has this order, so the one of words is used.
  const all = orm
    .select({ seq: messages.seq, conversation: messages.conversation })
    .from(messages)
    .where(and(eq(messages.workspaceId, workspaceId), sql`${messages.search} @@ ${query}`))
    .as("matching");
  const named = orm
    .select({ conversation: sql<number>`${conversations.seq}`.as("conversation") })
    .from(conversations)
    .where(and(eq(conversations.workspaceId, workspaceId), sql`${conversations.search} @@ ${query}`))
    .as("named");
  const written =
    (probe?.n ?? 0) >= probed * frequent
      ? orm
          .select({ conversation: sql<number>`"conversation"` })
          .from(latest(searchedMessages / frequent))
          .where(isMatch)
          .limit(searchedMessages)
      : orm
          .select({ conversation: all.conversation })
          .from(all)
          .orderBy(desc(sql`${all.seq} + 0`))
          .limit(searchedMessages);
  const [byText, byName] = await Promise.all([
    written,
    orm
      .select({ conversation: named.conversation })
      .from(named)
      .orderBy(desc(sql`${named.conversation} + 0`))
      .limit(searchedMessages),
  ]);
  return [...new Set([...byText, ...byName].map(({ conversation }) => conversation))];
}

/** Messages that show how frequent a word is. */
const probed = 5_000;
/** Of more frequent words, the latest messages contain enough. */
const frequent = 0.02;

export type ConversationRow = Omit<typeof conversations.$inferSelect, "search">;

/** The conversation that a row represents. */
export function conversationOf({
  row: { seq: _seq, account: _account, readTo: _readTo, ...row },
  accountId,
}: {
  row: ConversationRow;
  accountId: string;
}): Conversation {
  return { ...row, accountId };
}
