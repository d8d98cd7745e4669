/** How a spectrum falls into scale factor bands at one sample rate (ISO/IEC 14496-3 tables 4.129 to 4.147). */
export type Bands = {
  /** Starts of the bands of a window of 1,024 lines, and 1,024. */
  long: Uint16Array;
  /** Starts of the bands of one of eight windows of 128 lines, and 128. */
  short: Uint16Array;
  /** Bands that noise shaping may touch (table 4.139), for long and for short windows. */
  shapedLong: number;
  shapedShort: number;
};

/** The sample rates that AAC has a number for, in order. */
export const sampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

/** `rateIndex` is a place in `sampleRates`. */
export function bandsOf(rateIndex: number): Bands {
  return byRate[rateIndex]!;
}

const long96 = starts("4x14 8x5 12x5 16x2 24 28 36 44 64x11");
const long64 = starts("4x14 8x4 12x3 16x3 20 24x2 28 36 40x18");
const long48 = starts("4x10 8x7 12x4 16x2 20x2 24x2 28x2 32x19 96");
const long32 = starts("4x10 8x7 12x4 16x2 20x2 24x2 28x2 32x22");
const long24 = starts("4x11 8x10 12x4 16x3 20x2 24x2 28x2 32 36x2 40 44 48 52x2 64x5");
const long16 = starts("8x11 12x9 16x4 20x3 24x2 28x2 32 36 40x2 44 48 52 56 60 64x3");
const long8 = starts("12x13 16x7 20x4 24x3 28x2 32 36x2 40 44 48 52 56 60 64 80");
const short96 = starts("4x6 8x3 16 28 36");
const short48 = starts("4x5 8x3 12x3 16x3");
const short24 = starts("4x7 8x3 12x2 16x2 20");
const short16 = starts("4x8 8x2 12x2 16 20x2");
const short8 = starts("4x7 8x4 12 16 20x2");

const byRate: Bands[] = [
  { long: long96, short: short96, shapedLong: 31, shapedShort: 9 },
  { long: long96, short: short96, shapedLong: 31, shapedShort: 9 },
  { long: long64, short: short96, shapedLong: 34, shapedShort: 10 },
  { long: long48, short: short48, shapedLong: 40, shapedShort: 14 },
  { long: long48, short: short48, shapedLong: 42, shapedShort: 14 },
  { long: long32, short: short48, shapedLong: 51, shapedShort: 14 },
  { long: long24, short: short24, shapedLong: 46, shapedShort: 14 },
  { long: long24, short: short24, shapedLong: 46, shapedShort: 14 },
  { long: long16, short: short16, shapedLong: 42, shapedShort: 14 },
  { long: long16, short: short16, shapedLong: 42, shapedShort: 14 },
  { long: long16, short: short16, shapedLong: 42, shapedShort: 14 },
  { long: long8, short: short8, shapedLong: 39, shapedShort: 14 },
  { long: long8, short: short8, shapedLong: 39, shapedShort: 14 },
];

/** "4x3 8" are three bands of 4 lines and one of 8. */
function starts(widths: string): Uint16Array {
  const result = [0];
  for (const part of widths.split(" ")) {
    const [width, times = 1] = part.split("x").map(Number);
    for (let i = 0; i < times; i++) result.push(result.at(-1)! + width!);
  }
  return Uint16Array.from(result);
}
