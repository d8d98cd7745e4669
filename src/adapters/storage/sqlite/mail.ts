import { and, asc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { Mail } from "../../../features/mail/model.ts";
import type { MailStore } from "../../../features/mail/store.ts";
import type { Engine } from "./engine.ts";
import { mailOutbox, mailPosition, mailPreferences } from "./mail-tables.ts";
import { users } from "./tables.ts";

export function createMailStore({ orm, writer }: Engine): MailStore {
  function insert(mails: readonly Mail[]): number {
    let queued = 0;
    for (const mail of mails)
      queued += orm.insert(mailOutbox).values(mail).onConflictDoNothing().returning({ id: mailOutbox.id }).all().length;
    return queued;
  }

  const position = () => orm.select({ event: mailPosition.event }).from(mailPosition).get()?.event ?? null;

  return {
    enqueue: (mails) => writer.write(() => insert(mails)),
    position: async () => position(),
    collect: (from, to, mails) =>
      writer.write(() => {
        if (position() !== from) return false;
        orm
          .insert(mailPosition)
          .values({ onlyOne: 1, event: to })
          .onConflictDoUpdate({ target: mailPosition.onlyOne, set: { event: to } })
          .run();
        insert(mails);
        return true;
      }),
    claim: (now, until, limit) =>
      writer.write(() => {
        const due = orm
          .select({ id: mailOutbox.id })
          .from(mailOutbox)
          .where(and(eq(mailOutbox.state, "pending"), lte(mailOutbox.dueAt, now)))
          .orderBy(asc(mailOutbox.dueAt))
          .limit(limit);
        return orm
          .update(mailOutbox)
          .set({ dueAt: until, tries: sql`${mailOutbox.tries} + 1` })
          .where(inArray(mailOutbox.id, due))
          .returning()
          .all();
      }),
    settle: (id, outcome, at) =>
      writer.write(() => {
        const change =
          outcome.kind === "retry"
            ? { dueAt: outcome.dueAt, reason: outcome.reason }
            : { state: outcome.kind, body: null, endedAt: at, reason: outcome.kind === "sent" ? null : outcome.reason };
        orm.update(mailOutbox).set(change).where(eq(mailOutbox.id, id)).run();
      }),
    sweep: (at, limit) =>
      writer.write(() => {
        const ended = orm
          .select({ id: mailOutbox.id })
          .from(mailOutbox)
          .where(lte(mailOutbox.endedAt, at))
          .orderBy(asc(mailOutbox.createdAt))
          .limit(limit);
        return orm.delete(mailOutbox).where(inArray(mailOutbox.id, ended)).returning({ id: mailOutbox.id }).all()
          .length;
      }),
    preferences: async (userIds) => {
      const rows = orm
        .select()
        .from(mailPreferences)
        .where(inArray(mailPreferences.userId, [...userIds]))
        .all();
      return new Map(rows.map(({ userId, kinds }) => [userId, kinds]));
    },
    setPreferences: (userId, kinds, at) =>
      writer.write(() => {
        const change = { kinds, updatedAt: at };
        orm
          .insert(mailPreferences)
          .values({ userId, ...change })
          .onConflictDoUpdate({ target: mailPreferences.userId, set: change })
          .run();
      }),
    digestReaders: async (after, limit) =>
      orm
        .select({ id: users.id, email: users.email, timeZone: users.timeZone })
        .from(mailPreferences)
        .innerJoin(users, eq(users.id, mailPreferences.userId))
        .where(
          and(
            eq(users.isActive, true),
            sql`json_extract(${mailPreferences.kinds}, '$.dailyDigest') = 1`,
            after === null ? undefined : gt(users.id, after),
          ),
        )
        .orderBy(asc(users.id))
        .limit(limit)
        .all(),
  };
}
