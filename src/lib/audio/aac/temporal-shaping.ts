import type { BitReader } from "../bit-reader.ts";
import type { Bands } from "./bands.ts";
import { DamagedFrame, sequences, type WindowInfo, windowLines } from "./window-info.ts";

/** A filter over the lines of a band, which gives the quantisation noise the shape of the sound in time. */
type Filter = { bandCount: number; isDownward: boolean; coefficients: number[] };

/** Temporal noise shaping (ISO/IEC 14496-3 section 4.6.9): the filters of each window, the uppermost band's first. */
export type Shaping = Filter[][];

/** More than AAC-LC allows (12), less than what damage can say (31). */
const maxOrder = 20;

export function readShaping(bits: BitReader, isShort: boolean): Shaping {
  return Array.from({ length: isShort ? 8 : 1 }, () => {
    const filterCount = bits.read(isShort ? 1 : 2);
    const resolution = filterCount > 0 ? bits.read(1) + 3 : 0;
    return Array.from({ length: filterCount }, () => readFilter(bits, isShort, resolution));
  });
}

function readFilter(bits: BitReader, isShort: boolean, resolution: number): Filter {
  const bandCount = bits.read(isShort ? 4 : 6);
  const order = bits.read(isShort ? 3 : 5);
  if (order > maxOrder) throw new DamagedFrame("a filter of too high an order");
  if (order === 0) return { bandCount, isDownward: false, coefficients: [] };
  const isDownward = bits.readBit();
  const width = resolution - bits.read(1);
  const reflections = Array.from({ length: order }, () => reflection(bits.readSigned(width), resolution));
  return { bandCount, isDownward, coefficients: toPredictor(reflections) };
}

function reflection(value: number, resolution: number): number {
  const steps = (1 << (resolution - 1)) + (value >= 0 ? -0.5 : 0.5);
  return Math.sin((value * Math.PI) / 2 / steps);
}

/** Reflection coefficients to those of the filter, by Levinson's recursion. */
function toPredictor(reflections: number[]): number[] {
  let predictor: number[] = [];
  for (const k of reflections) {
    const order = predictor.length;
    predictor = [...predictor.map((a, i) => a + k * predictor[order - 1 - i]!), k];
  }
  return predictor;
}

/** Filters the spectrum of a frame in place. */
export function applyShaping(
  shaping: Shaping,
  { sequence, maxBand, bandStarts }: WindowInfo,
  bands: Bands,
  spectrum: Float64Array,
): void {
  const bandLimit = Math.min(maxBand, sequence === sequences.short ? bands.shapedShort : bands.shapedLong);
  for (const [window, filters] of shaping.entries()) {
    let top = bandStarts.length - 1;
    for (const { bandCount, isDownward, coefficients } of filters) {
      const bottom = Math.max(0, top - bandCount);
      const start = window * windowLines + bandStarts[Math.min(bottom, bandLimit)]!;
      const end = window * windowLines + bandStarts[Math.min(top, bandLimit)]!;
      if (coefficients.length > 0 && end > start) runFilter(coefficients, spectrum, start, end, isDownward);
      top = bottom;
    }
  }
}

function runFilter(
  coefficients: number[],
  spectrum: Float64Array,
  start: number,
  end: number,
  isDownward: boolean,
): void {
  const step = isDownward ? -1 : 1;
  let at = isDownward ? end - 1 : start;
  for (let done = 0; done < end - start; done++, at += step) {
    let value = spectrum[at]!;
    const order = Math.min(done, coefficients.length);
    for (let i = 0; i < order; i++) value -= coefficients[i]! * spectrum[at - step * (i + 1)]!;
    spectrum[at] = value;
  }
}
