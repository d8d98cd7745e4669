/** How the 576 lines of a granule fall into scale factor bands (ISO/IEC 11172-3 table B.8, 13818-3 table B.2). */
export type Bands = {
  /** Starts of the 22 bands of long blocks, and 576. */
  long: Uint16Array;
  /** Starts of the 13 bands of each of three short blocks, and 192. */
  short: Uint16Array;
};

/** `sampleRate` is one of the nine of MPEG audio. */
export function bandsOf(sampleRate: number): Bands {
  const found = bySampleRate.get(sampleRate);
  if (found === undefined) throw new Error(`MPEG audio has no sample rate ${sampleRate}.`);
  return found;
}

const long22050 = [6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54];
const short16000 = [4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 30, 40, 18];

const bySampleRate = new Map<number, Bands>([
  [
    44_100,
    bands(
      [4, 4, 4, 4, 4, 4, 6, 6, 8, 8, 10, 12, 16, 20, 24, 28, 34, 42, 50, 54, 76, 158],
      [4, 4, 4, 4, 6, 8, 10, 12, 14, 18, 22, 30, 56],
    ),
  ],
  [
    48_000,
    bands(
      [4, 4, 4, 4, 4, 4, 6, 6, 6, 8, 10, 12, 16, 18, 22, 28, 34, 40, 46, 54, 54, 192],
      [4, 4, 4, 4, 6, 6, 10, 12, 14, 16, 20, 26, 66],
    ),
  ],
  [
    32_000,
    bands(
      [4, 4, 4, 4, 4, 4, 6, 6, 8, 10, 12, 16, 20, 24, 30, 38, 46, 56, 68, 84, 102, 26],
      [4, 4, 4, 4, 6, 8, 12, 16, 20, 26, 34, 42, 12],
    ),
  ],
  [22_050, bands(long22050, [4, 4, 4, 6, 6, 8, 10, 14, 18, 26, 32, 42, 18])],
  [
    24_000,
    bands(
      [6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 18, 22, 26, 32, 38, 46, 54, 62, 70, 76, 36],
      [4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 32, 44, 12],
    ),
  ],
  [16_000, bands(long22050, short16000)],
  [11_025, bands(long22050, short16000)],
  [12_000, bands(long22050, short16000)],
  [
    8_000,
    bands(
      [12, 12, 12, 12, 12, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 76, 90, 2, 2, 2, 2, 2],
      [8, 8, 8, 12, 16, 20, 24, 28, 36, 2, 2, 2, 26],
    ),
  ],
]);

function bands(longWidths: number[], shortWidths: number[]): Bands {
  return { long: starts(longWidths), short: starts(shortWidths) };
}

function starts(widths: number[]): Uint16Array {
  let end = 0;
  return Uint16Array.from([0, ...widths.map((width) => (end += width))]);
}
