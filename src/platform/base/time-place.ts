/** A place in a list in the order of time: the item that was created at this moment with this id. */
export type TimePlace = { createdAt: number; id: string };
