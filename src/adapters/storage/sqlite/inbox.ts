import { and, count, desc, eq, gt, lt, max, sql } from "drizzle-orm";
import { decideChange, interestAfter, readToAfter } from "../../../features/inbox/decisions.ts";
import type { ConversationChange } from "../../../features/inbox/model.ts";
import type { ConversationOutcome, InboxStore } from "../../../features/inbox/store.ts";
import { activeMembers } from "./active-members.ts";
import type { CommonRows } from "./common-rows.ts";
import type { Engine } from "./engine.ts";
import { conversationOf, createInboxQueries } from "./inbox-queries.ts";
import { createSnippetStore } from "./inbox-snippets.ts";
import { conversations, messages, type ConversationRow } from "./inbox-tables.ts";
import type { NetworkRows } from "./network.ts";
import { networkAccounts } from "./network-tables.ts";

export function createInboxStore(
  engine: Engine,
  { events, suppressions }: CommonRows,
  { origin }: NetworkRows,
): InboxStore {
  const { orm, writer } = engine;
  const isActiveMember = activeMembers(engine);

  function readState(row: ConversationRow, change: ConversationChange): { readTo: number; unread: number } {
    const { read } = change;
    if (read === undefined) return row;
    const ofConversation = eq(messages.conversation, row.seq);
    const isReceived = sql`${messages.state} = 'received'`;
    const last = orm
      .select({ seq: max(messages.seq) })
      .from(messages)
      .where(ofConversation)
      .get();
    const received = orm
      .select({ seq: max(messages.seq) })
      .from(messages)
      .where(and(ofConversation, isReceived))
      .get();
    const name = read === "unread" ? null : read.readTo;
    const named =
      name === null
        ? undefined
        : orm
            .select({ seq: messages.seq })
            .from(messages)
            .where(and(ofConversation, eq(messages.id, name)))
            .get();
    const facts = { named: named?.seq ?? null, last: last?.seq ?? null, lastReceived: received?.seq ?? null };
    const readTo = readToAfter(row, read, facts);
    const unread = orm
      .select({ n: count() })
      .from(messages)
      .where(and(ofConversation, isReceived, gt(messages.seq, readTo)))
      .get();
    return { readTo, unread: unread?.n ?? 0 };
  }

  function change(request: Parameters<InboxStore["change"]>[0]): ConversationOutcome {
    const { workspaceId, id, change: wanted, suppressions: entries, at, actorId } = request;
    const found = orm
      .select({ row: conversations, accountId: networkAccounts.id })
      .from(conversations)
      .innerJoin(networkAccounts, eq(networkAccounts.seq, conversations.account))
      .where(and(eq(conversations.id, id), eq(conversations.workspaceId, workspaceId)))
      .get();
    if (found === undefined) return { kind: "absent" };
    const { row, accountId } = found;
    const { assignedTo } = wanted;
    if (assignedTo !== undefined && assignedTo !== null && !isActiveMember(workspaceId, assignedTo))
      return { kind: "notAMember" };
    const { values, event } = decideChange(row, wanted, readState(row, wanted), { accountId, at, actorId });
    for (const entry of entries) suppressions.add(entry);
    const interestedAt = interestAfter(wanted, at);
    if (interestedAt !== undefined)
      origin.noteInterest({ workspaceId, accountId, profileKey: row.profileKey }, interestedAt);
    if (event === null) return { kind: "changed", conversation: conversationOf(found) };
    const stored = values as Partial<ConversationRow>;
    orm.update(conversations).set(stored).where(eq(conversations.seq, row.seq)).run();
    events.append(event);
    return { kind: "changed", conversation: conversationOf({ row: { ...row, ...stored }, accountId }) };
  }

  return {
    ...createInboxQueries(engine),
    ...createSnippetStore(engine),
    change: (request) => writer.write(() => change(request)),
    deleteTexts: (before, limit) =>
      writer.write(() => {
        const old = orm
          .select({ seq: messages.seq })
          .from(messages)
          .where(and(lt(messages.at, before), sql`${messages.text} IS NOT NULL`))
          .orderBy(desc(messages.at))
          .limit(limit)
          .all();
        const list = JSON.stringify(old.map(({ seq }) => seq));
        const isOld = sql`${messages.seq} IN (SELECT value FROM json_each(${list}))`;
        orm.update(messages).set({ text: null }).where(isOld).run();
        orm
          .update(conversations)
          .set({ lastText: null })
          .where(
            and(
              sql`${conversations.seq} IN (SELECT ${messages.conversation} FROM ${messages} WHERE ${isOld})`,
              lt(conversations.lastAt, before),
            ),
          )
          .run();
        return old.length;
      }),
  };
}
