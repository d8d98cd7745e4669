import type { ChannelStream } from "./channel-stream.ts";
import { forEachBand } from "./dequantise.ts";
import { codebooks } from "./window-info.ts";

/** By group and band: 0, 1 for coded as middle and side, `midSideEverywhere` for all of them so; null: nowhere. */
export type MidSideMask = Uint8Array | null;
export const midSideEverywhere = 2;

/** Turns the bands that are coded as middle and side into left and right, in place (ISO/IEC 14496-3 section 4.6.8.1). */
export function separateMidSide(
  left: ChannelStream,
  right: ChannelStream,
  mask: Uint8Array,
  leftSpectrum: Float64Array,
  rightSpectrum: Float64Array,
): void {
  forEachBand(left, (place, codebook, start, end) => {
    if (mask[place] === 0 || codebook >= codebooks.noise || right.codebooks[place]! >= codebooks.noise) return;
    for (let line = start; line < end; line++) {
      const middle = leftSpectrum[line]!;
      const side = rightSpectrum[line]!;
      leftSpectrum[line] = middle + side;
      rightSpectrum[line] = middle - side;
    }
  });
}

/** Gives both channels the same noise where the mask says so (section 4.6.13.3); each keeps its own loudness. */
export function shareNoise(
  left: ChannelStream,
  right: ChannelStream,
  mask: Uint8Array,
  leftSpectrum: Float64Array,
  rightSpectrum: Float64Array,
): void {
  forEachBand(left, (place, codebook, start, end) => {
    if (mask[place] === 0 || codebook !== codebooks.noise || right.codebooks[place] !== codebooks.noise) return;
    const ratio = 2 ** ((right.scaleFactors[place]! - left.scaleFactors[place]!) / 4);
    for (let line = start; line < end; line++) rightSpectrum[line] = leftSpectrum[line]! * ratio;
  });
}

/** Fills the bands of the right channel that are only told by their loudness against the left (section 4.6.8.2). */
export function applyIntensity(
  right: ChannelStream,
  mask: MidSideMask,
  leftSpectrum: Float64Array,
  rightSpectrum: Float64Array,
): void {
  forEachBand(right, (place, codebook, start, end) => {
    if (codebook < codebooks.intensityOut) return;
    const isInverted = (codebook === codebooks.intensityOut) !== (mask?.[place] === 1);
    const gain = 0.5 ** (right.scaleFactors[place]! / 4) * (isInverted ? -1 : 1);
    for (let line = start; line < end; line++) rightSpectrum[line] = leftSpectrum[line]! * gain;
  });
}
