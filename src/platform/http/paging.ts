import { Type } from "@sinclair/typebox";
import type { TimePlace } from "../base/time-place.ts";
import { decodeCursor, encodeCursor, wholeIn } from "./cursor.ts";

/** The query parameters of every list. */
export function pageQuery(usual: number, most: number) {
  return {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: usual })),
    cursor: Type.Optional(
      Type.String({ maxLength: 300, description: "nextCursor of the previous page, with the same filters." }),
    ),
  };
}

/** The fields of every list besides its items. */
export const pageFields = {
  total: Type.Integer({ description: "Number of items on all pages." }),
  limit: Type.Integer(),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: "null on the last page." }),
};

/** Like `pageFields`, for logs, which grow without limit: counting all entries would cost more than the page. */
export const logPageFields = {
  ...pageFields,
  total: Type.Integer({ description: "Number of items on all pages, counted up to 10,000." }),
};

/** `found` may contain one item more than `limit`, which shows that another page follows. */
export function pageOf<T>(
  found: readonly T[],
  limit: number,
  placeOf: (item: T) => readonly (string | number)[],
): { items: T[]; limit: number; nextCursor: string | null } {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, limit, nextCursor: last === undefined ? null : encodeCursor(placeOf(last)) };
}

/** For lists that are sorted by time; null on the first page. */
export function timePlaceIn(cursor: string | undefined): TimePlace | null {
  if (cursor === undefined) return null;
  const [createdAt, id] = decodeCursor(cursor, 2);
  return { createdAt: wholeIn(createdAt), id: String(id) };
}

export function timePlaceOf({ createdAt, id }: TimePlace): [number, string] {
  return [createdAt, id];
}

type Listed = { createdAt: string };

/** A page of a short list that is entirely in memory, sorted by time. */
export function pageOfAll<T extends Listed>(
  all: readonly T[],
  {
    limit,
    cursor,
    idOf,
    newestFirst,
  }: { limit: number; cursor?: string | undefined; idOf: (item: T) => string; newestFirst: boolean },
): { items: T[]; total: number; limit: number; nextCursor: string | null } {
  const placeOf = (item: T): [string, string] => [item.createdAt, idOf(item)];
  const sign = newestFirst ? -1 : 1;
  const compare = (one: readonly string[], other: readonly string[]): number => {
    const at = one[0] === other[0] ? 1 : 0;
    return one[at] === other[at] ? 0 : (one[at]! < other[at]! ? -1 : 1) * sign;
  };
  const after = cursor === undefined ? null : decodeCursor(cursor, 2).map(String);
  const inOrder = all.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
  const behind = after === null ? inOrder : inOrder.filter((item) => compare(placeOf(item), after) > 0);
  return { ...pageOf(behind, limit, placeOf), total: all.length };
}
