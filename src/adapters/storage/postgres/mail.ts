import { and, asc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { Mail } from "../../../features/mail/model.ts";
import type { MailStore } from "../../../features/mail/store.ts";
import type { Connection, Engine } from "./engine.ts";
import { mailOutbox, mailPosition, mailPreferences } from "./mail-tables.ts";
import { users } from "./tables.ts";

export function createMailStore({ orm, transact }: Engine): MailStore {
  return {
    enqueue: (mails) => transact((connection) => insert(connection, mails)),
    position: async () => (await orm.select({ event: mailPosition.event }).from(mailPosition))[0]?.event ?? null,
    collect: (from, to, mails) =>
      transact(async (connection) => {
        // Of two nodes that moved on from the same position, the second changes no row.
        const moved =
          from === null
            ? await connection.insert(mailPosition).values({ onlyOne: 1, event: to }).onConflictDoNothing().returning()
            : await connection.update(mailPosition).set({ event: to }).where(eq(mailPosition.event, from)).returning();
        if (moved.length === 0) return false;
        await insert(connection, mails);
        return true;
      }),
    claim: (now, until, limit) =>
      transact(async (connection) => {
        const due = connection
          .select({ id: mailOutbox.id })
          .from(mailOutbox)
          .where(and(eq(mailOutbox.state, "pending"), lte(mailOutbox.dueAt, now)))
          .orderBy(asc(mailOutbox.dueAt))
          .limit(limit)
          .for("update", { skipLocked: true });
        return connection
          .update(mailOutbox)
          .set({ dueAt: until, tries: sql`${mailOutbox.tries} + 1` })
          .where(inArray(mailOutbox.id, due))
          .returning();
      }),
    settle: (id, outcome, at) =>
      transact(async (connection) => {
        const change =
          outcome.kind === "retry"
            ? { dueAt: outcome.dueAt, reason: outcome.reason }
            : { state: outcome.kind, body: null, endedAt: at, reason: outcome.kind === "sent" ? null : outcome.reason };
        await connection.update(mailOutbox).set(change).where(eq(mailOutbox.id, id));
      }),
    sweep: async (at, limit) => {
      const ended = orm
        .select({ id: mailOutbox.id })
        .from(mailOutbox)
        .where(lte(mailOutbox.endedAt, at))
        .orderBy(asc(mailOutbox.createdAt))
        .limit(limit);
      return (await orm.delete(mailOutbox).where(inArray(mailOutbox.id, ended)).returning({ id: mailOutbox.id }))
        .length;
    },
    preferences: async (userIds) => {
      if (userIds.length === 0) return new Map();
      const rows = await orm
        .select()
        .from(mailPreferences)
        .where(inArray(mailPreferences.userId, [...userIds]));
      return new Map(rows.map(({ userId, kinds }) => [userId, kinds]));
    },
    setPreferences: (userId, kinds, at) =>
      transact(async (connection) => {
        const change = { kinds, updatedAt: at };
        await connection
          .insert(mailPreferences)
          .values({ userId, ...change })
          .onConflictDoUpdate({ target: mailPreferences.userId, set: change });
      }),
    digestReaders: (after, limit) =>
      orm
        .select({ id: users.id, email: users.email, timeZone: users.timeZone })
        .from(mailPreferences)
        .innerJoin(users, eq(users.id, mailPreferences.userId))
        .where(
          and(
            eq(users.isActive, true),
            sql`${mailPreferences.kinds} -> 'dailyDigest' = 'true'::jsonb`,
            after === null ? undefined : gt(users.id, after),
          ),
        )
        .orderBy(asc(users.id))
        .limit(limit),
  };
}

async function insert(connection: Connection, mails: readonly Mail[]): Promise<number> {
  if (mails.length === 0) return 0;
  const queued = await connection
    .insert(mailOutbox)
    .values([...mails])
    .onConflictDoNothing()
    .returning({ id: mailOutbox.id });
  return queued.length;
}
