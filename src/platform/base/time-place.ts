/** Position in a list sorted by time: the item created at this time with this ID. */
export type TimePlace = { createdAt: number; id: string };

/** Sorts oldest first. */
export function comparePlaces(a: TimePlace, b: TimePlace): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}
