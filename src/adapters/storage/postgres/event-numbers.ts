import { eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { NewEvent } from "../../../platform/events/model.ts";
import { codeOf, sqlStates } from "./error-codes.ts";
import { together } from "./connection.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents, type EventInsertion } from "./event-rows.ts";
import { eventPositions } from "./event-tables.ts";
import { events } from "./tables.ts";

// Writers insert events without a position, because transactions commit in another order than they insert. Whoever holds
// the row of the last position numbers what is committed, so that positions appear in ascending order: a reader that has
// seen one never finds a smaller one later.

/** Numbers this many events per transaction: more would keep writers of positions waiting for tens of milliseconds. */
export const numberingBatchSize = 5000;
/** Another node numbers events for milliseconds, unless it was stopped in the middle of it. */
const maxWaitMs = 1000;

/**
 * Numbers committed events in the order in which they were inserted, at most `numberingBatchSize`, and returns how many.
 * Safe to call on several nodes: they take turns. 0, too, if another node takes too long.
 */
export async function numberEvents({ orm, transact }: Engine): Promise<number> {
  if (!(await hasPending(orm))) return 0;
  try {
    return await transact(async (connection) => {
      await connection.execute(sql`SELECT set_config('lock_timeout', ${`${maxWaitMs}`}, true)`);
      const last = await lockPosition(connection, "numbered");
      const count = await numberOldest(connection, last);
      if (count > 0) await movePosition(connection, "numbered", last + count);
      return count;
    });
  } catch (error) {
    if (codeOf(error) === sqlStates.lockTimeout) return 0;
    throw error;
  }
}

/** Numbers what is committed after the position `last`, which the caller has locked. */
async function numberOldest(connection: Connection, last: number): Promise<number> {
  const numbered = await connection.execute(sql`
    UPDATE ${events} SET position = ${last}::bigint + pending.n FROM (
      SELECT id, row_number() OVER (ORDER BY id) AS n FROM (
        SELECT ${events.id} FROM ${events} WHERE ${isNull(events.position)}
        ORDER BY ${events.id} LIMIT ${numberingBatchSize}
      ) AS oldest
    ) AS pending WHERE ${events.id} = pending.id`);
  return numbered.count;
}

/** Appends an event with the next position. Events of other transactions are numbered only after this one. */
export async function appendNumbered(connection: Connection, event: NewEvent): Promise<number> {
  const position = (await lockPosition(connection, "numbered")) + 1;
  await appendEvents(connection, [event], { position });
  await movePosition(connection, "numbered", position);
  return position;
}

/**
 * Appends events that follow all committed ones, with their positions: numbered later, each would be written twice, in
 * all of its indexes. For the end of a transaction, as nothing else is numbered until it ends.
 */
export async function appendAllNumbered(connection: Connection, insertion: EventInsertion): Promise<void> {
  if (insertion.count === 0) return;
  let last = await lockPosition(connection, "numbered");
  for (let count = numberingBatchSize; count === numberingBatchSize;)
    last += count = await numberOldest(connection, last);
  await together([insertion.run(connection, last + 1), movePosition(connection, "numbered", last + insertion.count)]);
}

/** ID of the latest numbered event; 0 if there is none. */
export async function lastPosition(connection: Connection): Promise<number> {
  return (await positionOf(connection, "numbered")) ?? 0;
}

type PositionName = (typeof eventPositions.$inferSelect)["name"];

/** Locks a position until the transaction ends and returns it. */
export async function lockPosition(connection: Connection, name: PositionName): Promise<number> {
  const locked = await positionOf(connection, name, { isLocked: true });
  if (locked !== undefined) return locked;
  const [latest] = await connection
    .select({ position: sql<number>`coalesce(max(${events.position}), 0)` })
    .from(events)
    .where(isNotNull(events.position));
  const event = name === "numbered" ? latest!.position : 0;
  await connection.insert(eventPositions).values({ name, event }).onConflictDoNothing();
  return (await positionOf(connection, name, { isLocked: true }))!;
}

export async function movePosition(connection: Connection, name: PositionName, event: number): Promise<void> {
  await connection.update(eventPositions).set({ event }).where(eq(eventPositions.name, name));
}

async function positionOf(
  connection: Connection,
  name: PositionName,
  { isLocked = false } = {},
): Promise<number | undefined> {
  const query = connection
    .select({ event: eventPositions.event })
    .from(eventPositions)
    .where(eq(eventPositions.name, name));
  const [row] = await (isLocked ? query.for("update") : query);
  return row?.event;
}

async function hasPending(connection: Connection): Promise<boolean> {
  const rows = await connection.select({ id: events.id }).from(events).where(isNull(events.position)).limit(1);
  return rows.length > 0;
}
