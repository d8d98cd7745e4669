/** Position in a list sorted by time: the item created at this time with this ID. */
export type TimePlace = { createdAt: number; id: string };
