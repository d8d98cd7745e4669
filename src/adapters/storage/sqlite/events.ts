import { eventSubjects, eventTypeNames, type EventFilter } from "../../../platform/events/model.ts";
import type { EventPageRequest, EventStore } from "../../../platform/events/store.ts";
import type { Engine } from "./engine.ts";
import { eventColumns, storedEvent, subjectColumns, type EventRow } from "./event-rows.ts";
import { countRows } from "./list-pages.ts";
import { prepared } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";

export function createEventStore(engine: Engine, { events: rows, owners }: CommonRows): EventStore {
  const { database, reader, writer } = engine;
  const since = prepared<EventRow, [number, number]>(
    database,
    `SELECT ${eventColumns} FROM events AS e LEFT JOIN workspaces AS u ON u.seq = e.owner WHERE e.seq > ? ORDER BY e.seq LIMIT +?`,
  );
  // Of the table of sequences, which knows it even when all events are forgotten.
  const last = prepared<{ seq: number }, []>(database, "SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  // Moments follow the order of seq but for corrections of the clock: the first that is too young ends the search.
  const forget = prepared<{ seq: number }, [number, number]>(
    database,
    `DELETE FROM events WHERE seq <= (
       SELECT max(seq) FROM (SELECT seq, at FROM events ORDER BY seq LIMIT +?2) WHERE at < ?1)
     AND at < ?1 RETURNING seq`,
  );

  function branches({ scopes, filter }: Pick<EventPageRequest, "scopes" | "filter">): Branch[] {
    return branchesOf(
      scopes.flatMap((workspaceId) => (workspaceId === null ? null : (owners(workspaceId) ?? []))),
      filter,
    );
  }

  async function count(request: Pick<EventPageRequest, "scopes" | "filter">): Promise<number> {
    const parts = branches(request);
    if (parts.length === 0) return 0;
    const sql = parts.map(({ where }) => selectSeq(where)).join(" UNION ALL ");
    return countRows(engine, { sql: `SELECT 1 FROM (${sql})`, params: parts.flatMap(({ params }) => params) });
  }

  async function page(request: EventPageRequest) {
    const { newestFirst, limit } = request;
    const parts = branches(request).map((branch) => narrowed(branch, request));
    if (parts.length === 0) return [];
    const order = newestFirst ? "DESC" : "ASC";
    const sql = parts.map(({ where }) => `SELECT * FROM (${selectSeq(where)} ORDER BY seq ${order} LIMIT ?)`);
    const query =
      `SELECT ${eventColumns} FROM (SELECT seq FROM (${sql.join(" UNION ALL ")}) ORDER BY seq ${order} LIMIT ?) AS f` +
      ` JOIN events AS e ON e.seq = f.seq LEFT JOIN workspaces AS u ON u.seq = e.owner ORDER BY e.seq ${order}`;
    const params = [...parts.flatMap((part) => [...part.params, limit]), limit];
    return (await reader.all<EventRow>({ sql: query, params })).map(storedEvent);
  }

  return {
    page,
    count,
    since: async (after, limit) => since.all(after, limit).map(storedEvent),
    last: async () => last.get()?.seq ?? 0,
    onNew: rows.onNew,
    deleteBefore: (at, limit) => writer.write(() => forget.all(at, limit).length),
  };
}

type Branch = { where: string[]; params: (string | number)[] };

/** Questions that one index each answers in order; what they find is merged. */
function branchesOf(scopes: readonly (number | null)[], filter: EventFilter): Branch[] {
  const ofOwner = (owner: number | null): Branch =>
    owner === null ? { where: ["owner IS NULL"], params: [] } : { where: ["owner = ?"], params: [owner] };
  const types = filter.types;
  const named = eventSubjects.flatMap((subject) => (filter[subject] === undefined ? [] : [[subject, filter[subject]]]));
  if (named.length === 0)
    return scopes
      .map(ofOwner)
      .flatMap(({ where, params }) =>
        (types ?? eventTypeNames).map((type) => ({ where: [...where, "type = ?"], params: [...params, type] })),
      );
  // The first is what the index is searched by; subjects are in the order of how few events each has.
  return scopes.map(ofOwner).map(({ where, params }) => ({
    where: [
      ...named.map(
        ([subject], at) => `${at === 0 ? "" : "+"}${subjectColumns[subject as keyof typeof subjectColumns]} = ?`,
      ),
      ...where.map((term) => `+${term}`),
      ...(types === undefined ? [] : [`+type IN (${types.map(() => "?").join(", ")})`]),
    ],
    params: [...named.map(([, id]) => id!), ...params, ...(types ?? [])],
  }));
}

function narrowed({ where, params }: Branch, { after, before }: Pick<EventPageRequest, "after" | "before">): Branch {
  return {
    where: [...where, ...(after === null ? [] : ["seq > ?"]), ...(before === null ? [] : ["seq < ?"])],
    params: [...params, ...(after === null ? [] : [after]), ...(before === null ? [] : [before])],
  };
}

function selectSeq(where: readonly string[]): string {
  return `SELECT seq FROM events WHERE ${where.join(" AND ")}`;
}
