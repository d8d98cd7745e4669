import { and, asc, between, desc, eq, isNull, lt, notInArray, or, sql } from "drizzle-orm";
import { afterMessage, lastOf, startConversation, type Recording } from "../../../features/inbox/recording.ts";
import { neverAt } from "../../../features/network/action-model.ts";
import type { SentText } from "../../../features/network/decisions/facts.ts";
import type { Connection } from "./engine.ts";
import { conversations, messages } from "./inbox-tables.ts";
import { networkAccounts, networkActions } from "./network-tables.ts";
import { oneOf } from "./one-of.ts";
import { leads } from "./tables.ts";

/** Records a message in the transaction that sends or receives it, and that has locked its account. */
export async function recordMessage(connection: Connection, recording: Recording): Promise<void> {
  await (recording.kind === "put" ? put(connection, recording) : remove(connection, recording));
}

async function put(connection: Connection, recording: Extract<Recording, { kind: "put" }>): Promise<void> {
  const { person, message, at } = recording;
  const { account, profileKey, workspaceId } = person;
  const [before] = await connection
    .select()
    .from(conversations)
    .where(and(eq(conversations.account, account), eq(conversations.profileKey, profileKey)))
    .for("update");
  const values = afterMessage(before ?? null, recording);
  const conversation = before?.seq ?? (await start(connection, recording, values));
  if (before !== undefined)
    await connection
      .update(conversations)
      .set(values as Values)
      .where(eq(conversations.seq, before.seq));
  await connection
    .insert(messages)
    .values({ ...message, workspaceId, conversation, profileKey, createdAt: at })
    .onConflictDoUpdate({
      target: messages.id,
      set: { state: sql`excluded.state`, text: sql`excluded.text`, at: sql`excluded.at` },
    });
}

type Values = Partial<typeof conversations.$inferInsert>;

async function start(
  connection: Connection,
  recording: Extract<Recording, { kind: "put" }>,
  values: ReturnType<typeof afterMessage>,
): Promise<number> {
  const { account, leadId } = recording.person;
  const [found] = await connection
    .select({ accountId: networkAccounts.id, firstName: leads.firstName, lastName: leads.lastName })
    .from(networkAccounts)
    .leftJoin(leads, eq(leads.id, leadId ?? ""))
    .where(eq(networkAccounts.seq, account));
  const leadName = [found?.firstName, found?.lastName].filter(Boolean).join(" ") || null;
  const started = startConversation(recording, { accountId: found!.accountId, leadName });
  const [row] = await connection
    .insert(conversations)
    .values({ ...started, ...values } as typeof conversations.$inferInsert)
    .returning({ seq: conversations.seq });
  return row!.seq;
}

/** A conversation without messages ends. */
async function remove(
  connection: Connection,
  { messageId, at }: Extract<Recording, { kind: "remove" }>,
): Promise<void> {
  const [removed] = await connection
    .delete(messages)
    .where(eq(messages.id, messageId))
    .returning({ conversation: messages.conversation });
  if (removed === undefined) return;
  const isIt = eq(conversations.seq, removed.conversation);
  const [before] = await connection
    .select({ lastState: conversations.lastState })
    .from(conversations)
    .where(isIt)
    .for("update");
  if (before?.lastState !== "queued") return;
  const [left] = await connection
    .select({ state: messages.state, text: messages.text, at: messages.at, createdAt: messages.createdAt })
    .from(messages)
    .where(eq(messages.conversation, removed.conversation))
    .orderBy(desc(messages.at), asc(messages.seq))
    .limit(1);
  if (left === undefined) await connection.delete(conversations).where(isIt);
  else
    await connection
      .update(conversations)
      .set({ ...lastOf(left, left.createdAt), updatedAt: at })
      .where(isIt);
}

/** The IDs of messages that are stored. */
export async function storedMessages(connection: Connection, ids: readonly string[]): Promise<Map<string, boolean>> {
  const found = await connection.select({ id: messages.id }).from(messages).where(oneOf(messages.id, ids));
  return new Map(found.map(({ id }) => [id, true]));
}

/** See `NetworkFacts.hasSent`. */
export async function hasSentText(
  connection: Connection,
  { account, profileKey, text, from, to }: SentText,
): Promise<boolean> {
  const found = await connection
    .select({ seq: messages.seq })
    .from(messages)
    .innerJoin(conversations, eq(conversations.seq, messages.conversation))
    .innerJoin(networkActions, eq(networkActions.jobId, messages.id))
    .where(
      and(
        eq(conversations.account, account),
        eq(conversations.profileKey, profileKey),
        notInArray(messages.state, ["received", "failed"]),
        // Texts that are too old are deleted.
        text === null
          ? eq(messages.kind, "voiceMessage")
          : or(isNull(messages.text), eq(sql`btrim(${messages.text}, ${spaces})`, text)),
        or(
          between(messages.at, from, to),
          eq(messages.at, neverAt),
          and(eq(messages.kind, "connectionRequest"), lt(messages.at, to)),
        ),
      ),
    )
    .limit(1);
  return found.length > 0;
}

/** See `NetworkFacts.hasReceived`. */
export async function hasReceivedText(
  connection: Connection,
  { account, profileKey, text, from, to }: SentText,
): Promise<boolean> {
  const found = await connection
    .select({ seq: messages.seq })
    .from(messages)
    .innerJoin(conversations, eq(conversations.seq, messages.conversation))
    .where(
      and(
        eq(conversations.account, account),
        eq(conversations.profileKey, profileKey),
        eq(messages.state, "received"),
        text === null ? isNull(messages.text) : eq(messages.text, text),
        between(messages.at, from, to),
      ),
    )
    .limit(1);
  return found.length > 0;
}

/** Reported texts have none at their ends. */
const spaces = " \t\r\n";
