import type { Bands } from "./bands.ts";
import type { Mp3FrameHeader } from "./frame-header.ts";
import { countBands, type ScaleFactors } from "./scale-factors.ts";
import { type Granule, shortBlocks } from "./side-info.ts";

/** Lines of one band and window: from `start` up to `end`, each `stride` after the other. */
type Lines = { start: number; end: number; stride: number };

/**
 * Turns jointly coded spectra into left and right, in place (ISO/IEC 11172-3 section 2.4.3.4.9, 13818-3 section
 * 2.4.3.2). `granule` and `factors` are the right channel's.
 */
export function separateStereo(
  header: Mp3FrameHeader,
  left: Float64Array,
  right: Float64Array,
  granule: Granule,
  factors: ScaleFactors,
  bands: Bands,
): void {
  if (!header.intensity) {
    if (header.midSide) separateMidSide(left, right, { start: 0, end: left.length, stride: 1 });
    return;
  }
  for (const { lines, position } of intensityOrder(header, granule, right, factors, bands)) {
    if (position !== null) applyIntensity(left, right, lines, intensityGains(header, granule, position));
    else if (header.midSide) separateMidSide(left, right, lines);
  }
}

function separateMidSide(left: Float64Array, right: Float64Array, { start, end, stride }: Lines): void {
  for (let line = start; line < end; line += stride) {
    const middle = left[line]!;
    const side = right[line]!;
    left[line] = (middle + side) * Math.SQRT1_2;
    right[line] = (middle - side) * Math.SQRT1_2;
  }
}

function applyIntensity(
  left: Float64Array,
  right: Float64Array,
  { start, end, stride }: Lines,
  gains: [number, number],
): void {
  for (let line = start; line < end; line += stride) {
    const sound = left[line]!;
    left[line] = sound * gains[0];
    right[line] = sound * gains[1];
  }
}

/**
 * Every band with its intensity position; null: not coded as intensity. Those are the bands above the last one in which
 * the right channel has anything of its own, and of them the ones whose position isn't the reserved one.
 */
function intensityOrder(
  header: Mp3FrameHeader,
  granule: Granule,
  right: Float64Array,
  { values, limits }: ScaleFactors,
  bands: Bands,
): { lines: Lines; position: number | null }[] {
  const { long, short } = countBands(granule, header.version === 1);
  const positionAt = (factor: number) => {
    const reserved = header.version === 1 ? 7 : limits[factor]!;
    return values[factor] === reserved ? null : values[factor]!;
  };
  const result: { lines: Lines; position: number | null }[] = [];
  let isAbove = true;
  if (granule.blockType === shortBlocks) {
    const aboveInWindow = [true, true, true];
    for (let band = 12; band >= 12 - short; band--) {
      for (let window = 2; window >= 0; window--) {
        const lines = { start: bands.short[band]! * 3 + window, end: bands.short[band + 1]! * 3, stride: 3 };
        aboveInWindow[window] &&= isSilent(right, lines);
        // The uppermost band has no scale factor: it goes with the one below.
        const factor = long + (Math.min(band, 11) - (12 - short)) * 3 + window;
        result.push({ lines, position: aboveInWindow[window] ? positionAt(factor) : null });
      }
    }
    isAbove = aboveInWindow.every(Boolean);
  }
  for (let band = granule.blockType === shortBlocks ? long - 1 : 21; band >= 0; band--) {
    const lines = { start: bands.long[band]!, end: bands.long[band + 1]!, stride: 1 };
    isAbove &&= isSilent(right, lines);
    result.push({ lines, position: isAbove ? positionAt(Math.min(band, 20)) : null });
  }
  return result;
}

function isSilent(spectrum: Float64Array, { start, end, stride }: Lines): boolean {
  for (let line = start; line < end; line += stride) if (spectrum[line] !== 0) return false;
  return true;
}

function intensityGains(
  { version }: Mp3FrameHeader,
  { scaleFactorCompress }: Granule,
  position: number,
): [number, number] {
  if (version === 1) {
    // tan(position * pi / 12) is the ratio of left to right.
    const ratio = Math.tan((Math.min(position, 6) * Math.PI) / 12);
    return position === 6 ? [1, 0] : [ratio / (1 + ratio), 1 / (1 + ratio)];
  }
  const base = scaleFactorCompress & 1 ? Math.SQRT1_2 : 2 ** -0.25;
  const gain = base ** ((position + 1) >> 1);
  return position % 2 === 1 ? [gain, 1] : [1, gain];
}
