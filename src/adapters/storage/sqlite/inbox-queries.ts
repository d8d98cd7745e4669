import { and, desc, eq, gt, isNotNull, isNull, lte, or, sql, type SQL } from "drizzle-orm";
import type { Conversation, ConversationFilter } from "../../../features/inbox/model.ts";
import { audioSeconds, maxPreview } from "../../../features/inbox/recording.ts";
import { soonestOf } from "../../../features/inbox/soonest.ts";
import type { ConversationPageRequest, InboxStore } from "../../../features/inbox/store.ts";
import { neverAt } from "../../../features/network/action-model.ts";
import { enoughExact, searchedMessages } from "../../../features/inbox/words.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { Engine } from "./engine.ts";
import { conversations, messages, type ConversationRow } from "./inbox-tables.ts";
import { withHandle } from "./inbox-handles.ts";
import { countRows } from "./list-pages.ts";
import { networkAccounts, networkActions } from "./network-tables.ts";
import { jobs } from "./tables.ts";

type Queries = Pick<
  InboxStore,
  "conversations" | "countConversations" | "conversation" | "queued" | "messages" | "countMessages" | "unread"
>;

/** Reads conversations and messages. Lists run in the reader thread, because filters may skip many rows. */
export function createInboxQueries({ orm, reader }: Engine): Queries {
  const columns = { row: conversations, accountId: networkAccounts.id };
  const select = () =>
    orm.select(columns).from(conversations).innerJoin(networkAccounts, eq(networkAccounts.seq, conversations.account));

  // Of a table that is named by SQL.
  const seq = sql<number>`${conversations.seq}`.as("seq");

  async function page(request: ConversationPageRequest): Promise<Conversation[]> {
    const { limit, after } = request;
    const isAfter =
      after === null ? undefined : sql`(${conversations.lastAt}, ${conversations.id}) < (${after.lastAt}, ${after.id})`;
    const query = orm
      .select({ seq })
      .from(indexedFor(request))
      .where(and(filtered(request, await searched(request)), isAfter))
      .orderBy(desc(conversations.lastAt), desc(conversations.id))
      .limit(limit);
    const found = await reader.all<{ seq: number }>(query.toSQL());
    const list = JSON.stringify(found.map(({ seq }) => seq));
    const rows = select()
      .where(sql`${conversations.seq} IN (SELECT value FROM json_each(${list}))`)
      .all();
    const bySeq = new Map(rows.map((each) => [each.row.seq, conversationOf(each)]));
    return found.flatMap(({ seq }) => bySeq.get(seq) ?? []);
  }

  async function countAll(request: Omit<ConversationPageRequest, "limit" | "after">): Promise<number> {
    const where = filtered(request, await searched(request));
    const query = orm.select({ seq }).from(indexedFor(request)).where(where);
    return countRows({ reader }, query.toSQL());
  }

  /** What a search finds; null without words. */
  async function searched(request: Filtered): Promise<SQL | null> {
    const match = await matchOf(request);
    const { workspaceId, filter } = request;
    if (match === null) return null;
    const people = filter.handle === undefined ? [] : await withHandle({ reader }, workspaceId, filter.handle);
    return hasWords(match, people);
  }

  /** The query of the full-text index for the words of a filter; null without words. */
  async function matchOf({ workspaceId, filter: { words = [] } }: Filtered): Promise<string | null> {
    if (words.length === 0) return null;
    const exact = matchText(workspaceId, words, "");
    const [row] = await reader.all<{ n: number }>({
      sql: "SELECT count(*) AS n FROM (SELECT 1 FROM inbox_words WHERE inbox_words MATCH ? LIMIT ?)",
      params: [exact, enoughExact],
    });
    return (row?.n ?? 0) >= enoughExact ? exact : matchText(workspaceId, words, " *");
  }

  const ofConversation = (workspaceId: WorkspaceId, id: string) =>
    sql`${messages.conversation} = (SELECT ${conversations.seq} FROM ${conversations}
      WHERE ${conversations.id} = ${id} AND ${conversations.workspaceId} = ${workspaceId})`;

  return {
    conversations: page,
    countConversations: countAll,
    async conversation(workspaceId, id) {
      const found = select()
        .where(and(eq(conversations.id, id), eq(conversations.workspaceId, workspaceId)))
        .get();
      return found === undefined ? null : conversationOf(found);
    },
    async queued(workspaceId, ids) {
      const rows = orm
        .select({ conversation: conversations.id, ...queuedColumns })
        .from(conversations)
        .innerJoin(messages, and(eq(messages.conversation, conversations.seq), eq(messages.at, neverAt)))
        .innerJoin(networkActions, eq(networkActions.jobId, messages.id))
        .innerJoin(networkAccounts, eq(networkAccounts.seq, networkActions.account))
        .where(
          and(
            sql`${conversations.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
            eq(conversations.workspaceId, workspaceId),
          ),
        )
        .orderBy(desc(networkActions.isUrgent), messages.seq)
        .all();
      return soonestOf(rows);
    },
    async messages(workspaceId, conversationId, limit, after) {
      const isAfter = after === null ? undefined : sql`(${messages.at}, ${messages.seq}) < (${after.at}, ${after.seq})`;
      return orm
        .select({
          row: messages,
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
        .limit(limit)
        .all()
        .map(
          ({
            row: { at, workspaceId: _workspace, conversation: _conversation, profileKey: _key, ...row },
            job,
            ...action
          }) => ({ ...row, ...action, at, seconds: audioSeconds(job) }),
        );
    },
    countMessages: (workspaceId, id) =>
      countRows(
        { reader },
        orm.select({ seq: messages.seq }).from(messages).where(ofConversation(workspaceId, id)).toSQL(),
      ),
    async unread(workspaceId, userId, now) {
      const { assignedTo, snoozedUntil } = conversations;
      // `sum` of no rows is null.
      const row = orm
        .select({
          total: sql<number>`count(*)`,
          mine: sql<number>`coalesce(sum(${assignedTo} = ${userId}), 0)`,
          unassigned: sql<number>`coalesce(sum(${assignedTo} IS NULL), 0)`,
        })
        .from(conversations)
        .where(
          and(
            eq(conversations.workspaceId, workspaceId),
            sql`${conversations.unread} > 0`,
            sql`coalesce(${snoozedUntil}, 0) <= ${now}`,
          ),
        )
        .get();
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
  text: sql<string | null>`substr(${messages.text}, 1, ${maxPreview})`.as("text"),
};

type Filtered = Pick<ConversationPageRequest, "workspaceId" | "filter" | "now">;

/**
 * The table with the index that has the fewest rows to pass over. Without statistics, SQLite would take any of those that
 * are in order, and read all conversations to find one that is unread.
 */
function indexedFor({ filter }: Filtered): SQL {
  const { unread, assignedTo, label, isSnoozed, accountId, hasReply, words = [], leadId, profileKey } = filter;
  const isNarrow = words.length > 0 || leadId !== undefined || profileKey !== undefined;
  const wanted: [boolean, string][] = [
    [isNarrow, ""],
    [label !== undefined, "conversations_labeled"],
    [typeof assignedTo === "string", "conversations_assigned"],
    [isSnoozed === true, "conversations_snoozed"],
    [unread === true, "conversations_unread"],
    [accountId !== undefined, "conversations_of_account"],
    [hasReply === true, "conversations_replied"],
    [true, "conversations_listed"],
  ];
  const [, index] = wanted.find(([applies]) => applies)!;
  return index === "" ? sql`${conversations}` : sql`${conversations} INDEXED BY ${sql.raw(index)}`;
}

/** The conditions repeat those of the partial indexes. */
function filtered({ workspaceId, filter, now }: Filtered, found: SQL | null): SQL | undefined {
  const { unread, assignedTo, label, isSnoozed, accountId, leadId, profileKey, hasReply } = filter;
  const { snoozedUntil } = conversations;
  return and(
    eq(conversations.workspaceId, workspaceId),
    unread === undefined ? undefined : unread ? sql`${conversations.unread} > 0` : sql`${conversations.unread} = 0`,
    assignedTo === undefined ? undefined : isAssignedTo(assignedTo),
    label === undefined ? undefined : and(isNotNull(conversations.label), eq(conversations.label, label)),
    isSnoozed === undefined
      ? undefined
      : isSnoozed
        ? and(isNotNull(snoozedUntil), gt(snoozedUntil, now))
        : or(isNull(snoozedUntil), lte(snoozedUntil, now)),
    accountId === undefined ? undefined : isOfAccount(accountId),
    leadId === undefined ? undefined : eq(conversations.leadId, leadId),
    profileKey === undefined ? undefined : eq(conversations.profileKey, profileKey),
    hasReply === undefined
      ? undefined
      : hasReply
        ? isNotNull(conversations.receivedAt)
        : isNull(conversations.receivedAt),
    found ?? undefined,
  );
}

function isAssignedTo(userId: NonNullable<ConversationFilter["assignedTo"]> | null): SQL | undefined {
  const { assignedTo } = conversations;
  return userId === null ? isNull(assignedTo) : and(isNotNull(assignedTo), eq(assignedTo, userId));
}

function isOfAccount(accountId: string): SQL {
  return sql`${conversations.account} = (SELECT ${networkAccounts.seq} FROM ${networkAccounts} WHERE ${networkAccounts.id} = ${accountId})`;
}

function matchText(workspaceId: WorkspaceId, words: readonly string[], suffix: string): string {
  const scope = Buffer.from(workspaceId).toString("hex").toUpperCase();
  return `scope : "${scope}" AND words : (${words.map((word) => `"${word}"${suffix}`).join(" AND ")})`;
}

/** The latest messages first: of a word that nearly all have, only those are read. Names have negative numbers. */
function hasWords(match: string, people: readonly number[]): SQL {
  const found = (
    isKind: string,
  ) => sql`SELECT rowid FROM inbox_words WHERE inbox_words MATCH ${match} AND ${sql.raw(isKind)}
    ORDER BY rowid DESC LIMIT ${searchedMessages}`;
  return sql`${conversations.seq} IN (
    SELECT ${messages.conversation} FROM ${messages} WHERE ${messages.seq} IN (${found("rowid > 0")})
    UNION SELECT -rowid FROM (${found("rowid < 0")})
    UNION SELECT value FROM json_each(${JSON.stringify(people)}))`;
}

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
