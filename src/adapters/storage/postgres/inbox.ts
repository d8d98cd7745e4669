import { and, count, desc, eq, gt, inArray, lt, max, sql } from "drizzle-orm";
import { decideChange, interestAfter, readToAfter } from "../../../features/inbox/decisions.ts";
import type { ConversationChange } from "../../../features/inbox/model.ts";
import type { ConversationOutcome, InboxStore } from "../../../features/inbox/store.ts";
import { noteInterest } from "./campaign-origin.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { conversationColumns, conversationOf, createInboxQueries, type ConversationRow } from "./inbox-queries.ts";
import { createSnippetStore } from "./inbox-snippets.ts";
import { conversations, messages } from "./inbox-tables.ts";
import { lockAccounts } from "./network-accounts.ts";
import { networkAccounts } from "./network-tables.ts";
import { addEntries } from "./suppressions.ts";
import { members, users } from "./tables.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";

export function createInboxStore(engine: Engine): InboxStore {
  const { transact } = engine;
  return {
    ...createInboxQueries(engine),
    ...createSnippetStore(engine),
    change: (request) => transact((connection) => change(connection, request)),
    deleteTexts: (before, limit) => transact((connection) => deleteTexts(connection, before, limit)),
  };
}

async function change(
  connection: Connection,
  { workspaceId, id, change: wanted, suppressions, at, actorId }: Parameters<InboxStore["change"]>[0],
): Promise<ConversationOutcome> {
  const isWanted = and(eq(conversations.id, id), eq(conversations.workspaceId, workspaceId));
  const { account: seq, profileKey } = conversations;
  const [known] = await connection.select({ seq, profileKey }).from(conversations).where(isWanted);
  if (known === undefined) return { kind: "absent" };
  const { assignedTo } = wanted;
  if (assignedTo !== undefined && assignedTo !== null && !(await isActiveMember(connection, workspaceId, assignedTo)))
    return { kind: "notAMember" };
  // The list is locked before the conversation, as by everyone who contacts people.
  if (suppressions.length > 0) await addEntries(connection, suppressions);
  const interestedAt = interestAfter(wanted, at);
  // Those who record a message lock the account before the conversation and the enrollments of the person.
  if (interestedAt !== undefined) await lockAccounts(connection, [known.seq]);
  const [row] = await connection.select(conversationColumns).from(conversations).where(isWanted).for("update");
  if (row === undefined) return { kind: "absent" };
  const [account] = await connection
    .select({ id: networkAccounts.id })
    .from(networkAccounts)
    .where(eq(networkAccounts.seq, row.account));
  const accountId = account!.id;
  if (interestedAt !== undefined)
    await noteInterest(connection, { workspaceId, accountId, profileKey: known.profileKey }, interestedAt);
  const { values, event } = decideChange(row, wanted, await readState(connection, row, wanted), {
    ...{ accountId, at, actorId },
  });
  if (event === null) return { kind: "changed", conversation: conversationOf({ row, accountId }) };
  const stored = values as Partial<ConversationRow>;
  await connection.update(conversations).set(stored).where(eq(conversations.seq, row.seq));
  await appendEvents(connection, [event]);
  return { kind: "changed", conversation: conversationOf({ row: { ...row, ...stored }, accountId }) };
}

/** The conversation is locked, so that no message is added meanwhile. */
async function readState(
  connection: Connection,
  row: ConversationRow,
  { read }: ConversationChange,
): Promise<{ readTo: number; unread: number }> {
  if (read === undefined) return row;
  const ofConversation = eq(messages.conversation, row.seq);
  const isReceived = sql`${messages.state} = 'received'`;
  const name = read === "unread" ? null : read.readTo;
  const [numbers] = await connection
    .select({
      last: max(messages.seq),
      lastReceived: sql<number | null>`max(${messages.seq}) FILTER (WHERE ${isReceived})`,
      named: sql<number | null>`max(${messages.seq}) FILTER (WHERE ${messages.id} = ${name})`,
    })
    .from(messages)
    .where(ofConversation);
  const readTo = readToAfter(row, read, numbers ?? { last: null, lastReceived: null, named: null });
  const [unread] = await connection
    .select({ n: count() })
    .from(messages)
    .where(and(ofConversation, isReceived, gt(messages.seq, readTo)));
  return { readTo, unread: unread?.n ?? 0 };
}

async function deleteTexts(connection: Connection, before: number, limit: number): Promise<number> {
  const old = await connection
    .select({ seq: messages.seq, conversation: messages.conversation })
    .from(messages)
    .where(and(lt(messages.at, before), sql`${messages.text} IS NOT NULL`))
    .orderBy(desc(messages.at))
    .limit(limit);
  if (old.length === 0) return 0;
  const affected = [...new Set(old.map(({ conversation }) => conversation))].toSorted((a, b) => a - b);
  // Before their messages, as by those who store one, and in one order.
  await connection
    .select({ seq: conversations.seq })
    .from(conversations)
    .where(inArray(conversations.seq, affected))
    .orderBy(conversations.seq)
    .for("update");
  const seqs = old.map(({ seq }) => seq);
  await connection.update(messages).set({ text: null }).where(inArray(messages.seq, seqs));
  await connection
    .update(conversations)
    .set({ lastText: null })
    .where(and(inArray(conversations.seq, affected), lt(conversations.lastAt, before)));
  return old.length;
}

/** Locked, so that they are still a member when the conversation becomes theirs. */
async function isActiveMember(connection: Connection, workspaceId: WorkspaceId, userId: UserId): Promise<boolean> {
  const found = await connection
    .select({ userId: members.userId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(
      and(
        eq(members.workspaceId, workspaceId),
        eq(members.userId, userId),
        eq(members.isActive, true),
        eq(users.isActive, true),
      ),
    )
    .for("share");
  return found.length > 0;
}
