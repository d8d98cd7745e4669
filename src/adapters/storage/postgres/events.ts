import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql, type SQL } from "drizzle-orm";
import { eventSubjects, type Event } from "../../../platform/events/model.ts";
import type { EventPageRequest, EventStore } from "../../../platform/events/store.ts";
import type { Engine } from "./engine.ts";
import type { EventLog } from "./event-log.ts";
import { lastPosition } from "./event-numbers.ts";
import { eventColumns } from "./event-rows.ts";
import { ownersOf } from "./owners.ts";
import { countedUpTo } from "./list-counts.ts";
import { events, workspaces } from "./tables.ts";

export function createEventStore({ orm, newEvents }: Engine, log: EventLog): EventStore {
  const selectEvents = () =>
    orm.select(eventColumns).from(events).leftJoin(workspaces, eq(workspaces.seq, events.owner));

  /** Null stands for events of the whole installation. Users that do not exist have none. */
  async function ownersIn(scopes: EventPageRequest["scopes"]): Promise<(number | null)[]> {
    const found = await ownersOf(
      orm,
      scopes.flatMap((workspaceId) => workspaceId ?? []),
    );
    return scopes.flatMap((workspaceId) => (workspaceId === null ? null : (found.get(workspaceId) ?? [])));
  }

  async function page({ scopes, filter, after, before, newestFirst, limit }: EventPageRequest): Promise<Event[]> {
    await log.numberPending();
    const range = and(
      after === null ? undefined : gt(events.position, after),
      before === null ? undefined : lt(events.position, before),
    );
    const order = newestFirst ? desc(events.position) : asc(events.position);
    // Each branch reads one index in order; sorting all events of a user would take much longer.
    const branches = (await ownersIn(scopes))
      .flatMap((owner) => branchesOf(owner, filter))
      .map(
        (branch) =>
          sql`(SELECT ${events.position} FROM ${events} WHERE ${and(branch, range)} ORDER BY ${order} LIMIT ${limit})`,
      );
    if (branches.length === 0) return [];
    return selectEvents()
      .where(sql`${events.position} IN (${sql.join(branches, sql` UNION ALL `)})`)
      .orderBy(order)
      .limit(limit);
  }

  async function count({ scopes, filter }: Pick<EventPageRequest, "scopes" | "filter">): Promise<number> {
    await log.numberPending();
    const branches = (await ownersIn(scopes)).flatMap((owner) => branchesOf(owner, filter));
    if (branches.length === 0) return 0;
    const parts = branches.map((branch) => sql`SELECT 1 FROM ${events} WHERE ${branch}`);
    const [row] = await orm.execute<{ n: number }>(sql`
      SELECT count(*) AS n FROM (${sql.join(parts, sql` UNION ALL `)} LIMIT ${countedUpTo}) AS counted`);
    return row?.n ?? 0;
  }

  async function deleteBefore(at: number, limit: number): Promise<number> {
    // Times follow the order of positions except when a clock is corrected, so only the oldest are considered.
    const oldest = orm
      .select({ id: events.id, at: events.at })
      .from(events)
      .where(isNotNull(events.position))
      .orderBy(asc(events.position))
      .limit(limit)
      .as("oldest");
    const expired = orm.select({ id: oldest.id }).from(oldest).where(lt(oldest.at, at));
    const deleted = await orm.delete(events).where(inArray(events.id, expired)).returning({ id: events.id });
    return deleted.length;
  }

  return {
    page,
    count,
    async since(after, limit) {
      await log.numberPending();
      return selectEvents().where(gt(events.position, after)).orderBy(asc(events.position)).limit(limit);
    },
    async last() {
      await log.numberPending();
      return lastPosition(orm);
    },
    onNew: (listener) => newEvents.onNew(listener),
    deleteBefore,
  };
}

/** The numbered events of an owner that match: one condition for each type, unless a subject has fewer events. */
function branchesOf(owner: number | null, { types, ...subjects }: EventPageRequest["filter"]): (SQL | undefined)[] {
  const isOwned = and(owner === null ? isNull(events.owner) : eq(events.owner, owner), isNotNull(events.position));
  const named = eventSubjects.flatMap((subject) => {
    const id = subjects[subject];
    return id === undefined ? [] : [eq(events[subject], id)];
  });
  if (types === undefined) return [and(isOwned, ...named)];
  if (named.length > 0) return [and(isOwned, ...named, or(...types.map((type) => eq(events.type, type))))];
  return types.map((type) => and(isOwned, eq(events.type, type)));
}
