import { and, or } from "drizzle-orm";
import { concernsPerson } from "../../../../features/privacy/decisions.ts";
import { mentionsOf } from "../../../../features/privacy/mentions.ts";
import type { PersonScope } from "../../../../features/privacy/model.ts";
import type { PersonStore } from "../../../../features/privacy/store.ts";
import type { Engine } from "../engine.ts";
import { currentSeqs } from "./person-identity.ts";
import { areBehind, areUpTo, lastOfKeys, selectRows, type Key, type PlaceRow } from "./place-rows.ts";
import { exceptSql, isInScope, listsOf, mentionSql, ownerSql, ownSql, type PersonLists } from "./place-sql.ts";
import { storedPlaces, type StoredPlace } from "./stored-places.ts";

/** Rows that are erased in one transaction. */
const pageRows = 500;
/** Rows whose texts one statement searches: it takes far less than the time that a statement may take. */
const searchedRows = 5_000;

type Search = { scope: PersonScope; lists: PersonLists; needles: readonly string[] };

/** See `PersonStore.records`. */
export function createPersonSearch(engine: Engine): PersonStore["records"] {
  const { orm, phoneRegion } = engine;
  return async function* records(scope, identity) {
    const mentions = mentionsOf(identity);
    const lists = listsOf({ ...identity, prospects: await currentSeqs(orm, identity.prospects) }, phoneRegion);
    for (const place of storedPlaces)
      for await (const rows of matchingRows(engine, place, { scope, lists, needles: mentions.needles })) {
        const found = rows
          .map((row) => ({ place: place.name, ...row }))
          .filter((record) => concernsPerson(place, record, mentions));
        for (let from = 0; from < found.length; from += pageRows) yield found.slice(from, from + pageRows);
      }
  };
}

async function* matchingRows(
  { orm }: Engine,
  place: StoredPlace,
  { scope, lists, needles }: Search,
): AsyncGenerator<PlaceRow[], void, void> {
  const [owner, isOwn, mention] = [ownerSql(place), ownSql(place, lists), mentionSql(place, needles)];
  const isMatch = and(mention === null ? isOwn : or(isOwn, mention), exceptSql(place), isInScope(place, scope));
  if (mention === null) return yield await selectRows(orm, place, { owner, isOwn, where: isMatch });
  // Indexes find no mentions: the whole table is read, one range of keys after the other.
  for (let after: Key | null = null; ;) {
    const rest = after === null ? undefined : areBehind(place, after);
    const last: Key | null = await lastOfKeys(orm, place, rest, searchedRows);
    const where = and(rest, last === null ? undefined : areUpTo(place, last), isMatch);
    yield await selectRows(orm, place, { owner, isOwn, where });
    if (last === null) return;
    after = last;
  }
}
