/** Totals of logs are counted up to this number. */
export const countedUpTo = 10_000;
