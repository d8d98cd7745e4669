/** Rows of a file that follow each other, and became prospects whose numbers follow each other from `number` on. */
export type Stretch = { row: number; number: number; prospects: number };

/** `created`: rows of a batch and their numbers, in order. */
export function stretchesOf(created: readonly { row: number; number: number }[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { row, number } of created) {
    const last = stretches.at(-1);
    const goesOn = last?.row === row - (last?.prospects ?? 0) && last.number === number - last.prospects;
    if (goesOn) last.prospects++;
    else stretches.push({ row, number, prospects: 1 });
  }
  return stretches;
}
