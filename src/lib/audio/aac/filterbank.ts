import { Dct4 } from "../mdct.ts";
import { frameLines, sequences, type WindowInfo, windowLines } from "./window-info.ts";
import { longWindow, shortWindow, type Window } from "./windows.ts";

/** Where eight short windows begin in the middle of a long one, and where a stop window begins to rise. */
const shortStart = (frameLines - windowLines) / 2;

/**
 * Turns the spectra of one channel into sound (ISO/IEC 14496-3 section 4.6.11): each frame's transform overlaps half of
 * the next one's.
 */
export class AacFilterbank {
  readonly #long = new Dct4(frameLines);
  readonly #short = new Dct4(windowLines);
  readonly #overlap = new Float64Array(frameLines);
  readonly #frame = new Float64Array(2 * frameLines);
  #wasKaiser = false;

  /** `spectrum` is changed. Gives 1,024 samples of -1 to 1. */
  run(spectrum: Float64Array, { sequence, isKaiser }: WindowInfo, into: Float32Array): void {
    if (sequence === sequences.short) this.#addShort(spectrum, isKaiser);
    else this.#addLong(spectrum, sequence, isKaiser);
    for (let i = 0; i < frameLines; i++) {
      into[i] = this.#frame[i]! + this.#overlap[i]!;
      this.#overlap[i] = this.#frame[frameLines + i]!;
    }
    this.#wasKaiser = isKaiser;
  }

  #addLong(spectrum: Float64Array, sequence: number, isKaiser: boolean): void {
    const frame = this.#frame;
    this.#long.run(spectrum);
    frame.fill(0);
    unfold(spectrum, 0, frameLines, frame, 0);
    if (sequence === sequences.stop) rise(frame, shortStart, shape(shortWindow, this.#wasKaiser), scaleLong);
    else rise(frame, 0, shape(longWindow, this.#wasKaiser), scaleLong);
    if (sequence === sequences.start) fall(frame, frameLines + shortStart, shape(shortWindow, isKaiser), scaleLong);
    else fall(frame, frameLines, shape(longWindow, isKaiser), scaleLong);
  }

  #addShort(spectrum: Float64Array, isKaiser: boolean): void {
    this.#frame.fill(0);
    for (let window = 0; window < 8; window++) {
      this.#short.run(spectrum, window * windowLines);
      windowed.fill(0);
      unfold(spectrum, window * windowLines, windowLines, windowed, 0);
      rise(windowed, 0, shape(shortWindow, window === 0 ? this.#wasKaiser : isKaiser), scaleShort);
      fall(windowed, windowLines, shape(shortWindow, isKaiser), scaleShort);
      const at = shortStart + window * windowLines;
      for (let i = 0; i < 2 * windowLines; i++) this.#frame[at + i]! += windowed[i]!;
    }
  }
}

/** The standard's 2 / N, and lines that are in units of 16-bit samples. */
const scaleLong = 1 / frameLines / 32_768;
const scaleShort = 1 / windowLines / 32_768;
const windowed = new Float64Array(2 * windowLines);

function shape(window: Window, isKaiser: boolean): Float64Array {
  return isKaiser ? window.kaiser : window.sine;
}

/** The 2n outputs of an inverse MDCT are the n of the DCT-IV, mirrored and negated. */
function unfold(dct: Float64Array, from: number, n: number, into: Float64Array, at: number): void {
  const half = n / 2;
  for (let i = 0; i < half; i++) {
    into[at + i] = dct[from + half + i]!;
    into[at + n - 1 - i] = -dct[from + half + i]!;
    into[at + n + i] = -dct[from + half - 1 - i]!;
    into[at + 2 * n - 1 - i] = -dct[from + half - 1 - i]!;
  }
}

/** Weights the first half: zero before the window rises, one behind. */
function rise(frame: Float64Array, start: number, window: Float64Array, scale: number): void {
  frame.fill(0, 0, start);
  const half = frame.length / 2;
  for (let i = 0; i < window.length; i++) frame[start + i]! *= window[i]! * scale;
  for (let i = start + window.length; i < half; i++) frame[i]! *= scale;
}

/** Weights the second half: one before the window falls, zero behind. */
function fall(frame: Float64Array, start: number, window: Float64Array, scale: number): void {
  for (let i = frame.length / 2; i < start; i++) frame[i]! *= scale;
  for (let i = 0; i < window.length; i++) frame[start + i]! *= window[window.length - 1 - i]! * scale;
  frame.fill(0, start + window.length);
}
