/** The number of a prospect in the whole installation: those of a directory are adjacent. */
export function seqOf(owner: number, number: number): number {
  return owner * ownerSpan + number;
}

/** The directory, by the number of its owner, and the number within it. */
export function placeOfSeq(seq: number): { owner: number; number: number } {
  return { owner: Math.floor(seq / ownerSpan), number: seq % ownerSpan };
}

const ownerSpan = 2 ** 32;
