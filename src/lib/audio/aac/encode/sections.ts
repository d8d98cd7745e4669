import { codebookCount, countBits } from "./codebooks.ts";

/** Codebook and length, in a long window. */
const sectionBits = 4 + 5;
/** Longer sections take another five bits. */
const sectionEscape = 31;

/** Codebooks come in pairs for ever larger lines; those for much larger ones than a band has never pay. */
const candidates = 5;
const largestByCodebook = [0, 1, 1, 2, 2, 4, 4, 7, 7, 12, 12, Infinity];

function smallestCodebook(largest: number): number {
  return largestByCodebook.findIndex((limit) => largest <= limit);
}

function leastAt(costs: Float64Array): number {
  let least = 0;
  for (let i = 1; i < costs.length; i++) if (costs[i]! < costs[least]!) least = i;
  return least;
}

/** The codebook of each band, chosen so that bands and sections together take the fewest bits. */
export function chooseCodebooks(
  quantised: Int32Array,
  largest: Int32Array,
  bandStarts: Uint16Array,
): { codebooks: Uint8Array; bits: number } {
  const bands = largest.length;
  // The usual way through a lattice: for each band and codebook the cheapest way there, and where it came from.
  const cameFrom = new Uint8Array(bands * codebookCount);
  let costs = new Float64Array(codebookCount).fill(0);
  for (let band = 0; band < bands; band++) {
    const cheapest = leastAt(costs);
    const next = new Float64Array(codebookCount).fill(Infinity);
    const first = smallestCodebook(largest[band]!);
    for (let codebook = first; codebook < Math.min(first + candidates, codebookCount); codebook++) {
      const change = band === 0 ? sectionBits : costs[cheapest]! + sectionBits;
      const stay = band === 0 ? Infinity : costs[codebook]!;
      cameFrom[band * codebookCount + codebook] = stay <= change ? codebook : cheapest;
      const own = countBits(codebook, quantised, bandStarts[band]!, bandStarts[band + 1]!);
      next[codebook] = Math.min(stay, change) + own;
    }
    costs = next;
  }
  const codebooks = new Uint8Array(bands);
  let codebook = leastAt(costs);
  const bits = bands === 0 ? 0 : costs[codebook]!;
  for (let band = bands - 1; band >= 0; band--) {
    codebooks[band] = codebook;
    codebook = cameFrom[band * codebookCount + codebook]!;
  }
  return { codebooks, bits: bits + 5 * Math.floor(bands / sectionEscape) };
}
