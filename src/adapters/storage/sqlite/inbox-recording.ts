import { and, asc, between, desc, eq, lt, notInArray, or, sql } from "drizzle-orm";
import {
  afterMessage,
  lastOf,
  startConversation,
  type RecordedMessage,
  type Recording,
} from "../../../features/inbox/recording.ts";
import { neverAt } from "../../../features/network/action-model.ts";
import type { SentText } from "../../../features/network/decisions/facts.ts";
import type { Engine } from "./engine.ts";
import { conversations, messages, type ConversationRow } from "./inbox-tables.ts";
import type { AccountRows } from "./network-accounts.ts";
import { networkActions } from "./network-tables.ts";
import { newValueOf } from "./parameter.ts";
import { placeholdersOf } from "./placeholders.ts";
import { lazy } from "./prepared.ts";
import { leads } from "./tables.ts";

export type InboxRecorder = ReturnType<typeof createInboxRecorder>;

/** Records messages inside the write units of the network. */
export function createInboxRecorder({ orm }: Engine, accounts: Pick<AccountRows, "idOf">) {
  const placeholder = sql.placeholder;
  const ofPerson = lazy(() =>
    orm
      .select()
      .from(conversations)
      .where(
        and(eq(conversations.account, placeholder("account")), eq(conversations.profileKey, placeholder("profileKey"))),
      )
      .prepare(),
  );
  const bySeq = lazy(() =>
    orm
      .select()
      .from(conversations)
      .where(eq(conversations.seq, placeholder("seq")))
      .prepare(),
  );
  const insert = lazy(() => orm.insert(conversations).values(placeholdersOf(conversations)).returning().prepare());
  const update = lazy(() =>
    orm
      .update(conversations)
      .set({
        lastAt: newValueOf("lastAt"),
        lastState: newValueOf("lastState"),
        lastText: newValueOf("lastText"),
        unread: newValueOf("unread"),
        receivedAt: newValueOf("receivedAt"),
        snoozedUntil: newValueOf("snoozedUntil"),
        leadId: newValueOf("leadId"),
        personName: newValueOf("personName"),
        updatedAt: newValueOf("updatedAt"),
      })
      .where(eq(conversations.seq, placeholder("seq")))
      .prepare(),
  );
  const putMessage = lazy(() =>
    orm
      .insert(messages)
      .values(placeholdersOf(messages))
      .onConflictDoUpdate({
        target: messages.id,
        set: { state: sql`excluded.state`, text: sql`excluded.text`, at: sql`excluded.at` },
      })
      .prepare(),
  );
  const removeMessage = lazy(() =>
    orm
      .delete(messages)
      .where(eq(messages.id, placeholder("messageId")))
      .returning({ conversation: messages.conversation })
      .prepare(),
  );
  const newest = lazy(() =>
    orm
      .select({ state: messages.state, text: messages.text, at: messages.at, createdAt: messages.createdAt })
      .from(messages)
      .where(eq(messages.conversation, placeholder("conversation")))
      .orderBy(desc(messages.at), asc(messages.seq))
      .limit(1)
      .prepare(),
  );
  const byId = lazy(() =>
    orm
      .select({ seq: messages.seq })
      .from(messages)
      .where(eq(messages.id, placeholder("id")))
      .prepare(),
  );
  const sent = lazy(() =>
    orm
      .select({ seq: messages.seq })
      .from(messages)
      .innerJoin(conversations, eq(conversations.seq, messages.conversation))
      .innerJoin(networkActions, eq(networkActions.jobId, messages.id))
      .where(
        and(
          eq(conversations.account, placeholder("account")),
          eq(conversations.profileKey, placeholder("profileKey")),
          notInArray(messages.state, ["received", "failed"]),
          // Reported texts have no spaces at their ends. Those that are too old are deleted.
          sql`iif(${placeholder("text")} IS NULL, ${messages.kind} = 'voiceMessage', ${messages.text} IS NULL OR
            trim(${messages.text}, char(9, 10, 13, 32)) = ${placeholder("text")})`,
          or(
            between(messages.at, placeholder("from"), placeholder("to")),
            eq(messages.at, neverAt),
            and(eq(messages.kind, "connectionRequest"), lt(messages.at, placeholder("to"))),
          ),
        ),
      )
      .limit(1)
      .prepare(),
  );
  const received = lazy(() =>
    orm
      .select({ seq: messages.seq })
      .from(messages)
      .innerJoin(conversations, eq(conversations.seq, messages.conversation))
      .where(
        and(
          eq(conversations.account, placeholder("account")),
          eq(conversations.profileKey, placeholder("profileKey")),
          eq(messages.state, "received"),
          sql`${messages.text} IS ${placeholder("text")}`,
          between(messages.at, placeholder("from"), placeholder("to")),
        ),
      )
      .limit(1)
      .prepare(),
  );
  const fullName = lazy(() =>
    orm
      .select({ firstName: leads.firstName, lastName: leads.lastName })
      .from(leads)
      .where(eq(leads.id, placeholder("leadId")))
      .prepare(),
  );

  function leadName(leadId: string | null): string | null {
    const lead = leadId === null ? undefined : fullName().get({ leadId });
    return lead === undefined ? null : [lead.firstName, lead.lastName].filter(Boolean).join(" ") || null;
  }

  function put(recording: Extract<Recording, { kind: "put" }>): void {
    const { person, message, at } = recording;
    const { account, profileKey, workspaceId } = person;
    const before = ofPerson().get({ account, profileKey }) ?? null;
    const values = afterMessage(before, recording);
    const conversation = before?.seq ?? start(recording, values);
    if (before !== null) update().run({ ...before, ...values });
    putMessage().run({ ...message, seq: null, workspaceId, conversation, profileKey, createdAt: at });
  }

  function start(
    recording: Extract<Recording, { kind: "put" }>,
    values: ReturnType<typeof afterMessage>,
  ): ConversationRow["seq"] {
    const { account, leadId } = recording.person;
    const started = startConversation(recording, { accountId: accounts.idOf(account), leadName: leadName(leadId) });
    return insert().get({ ...started, ...values, seq: null }).seq;
  }

  /** A conversation without messages ends. */
  function remove({ messageId, at }: Extract<Recording, { kind: "remove" }>): void {
    const [removed] = removeMessage().all({ messageId });
    const before = removed && bySeq().get({ seq: removed.conversation });
    if (before === undefined || before.lastState !== "queued") return;
    const left: (Omit<RecordedMessage, "id" | "kind" | "userId"> & { createdAt: number }) | undefined = newest().get({
      conversation: before.seq,
    });
    if (left === undefined) orm.delete(conversations).where(eq(conversations.seq, before.seq)).run();
    else update().run({ ...before, ...lastOf(left, left.createdAt), updatedAt: at });
  }

  return {
    record: (recording: Recording): void => (recording.kind === "put" ? put(recording) : remove(recording)),
    hasMessage: (id: string): boolean => byId().get({ id }) !== undefined,
    /** See `NetworkFacts.hasSent`. */
    hasSent: (text: SentText): boolean => sent().get(text) !== undefined,
    /** See `NetworkFacts.hasReceived`. */
    hasReceived: (text: SentText): boolean => received().get(text) !== undefined,
  };
}
