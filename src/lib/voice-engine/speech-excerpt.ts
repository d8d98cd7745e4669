import { analysisRate } from "./analysis-format.ts";
import { detectorHop, type Span } from "./speech-detector.ts";
import { meanPower } from "./statistics.ts";

const longestPieceFrames = 400;
/** Margin around each segment of speech, in frames of 10 ms, for soft starts and ends. */
const marginFrames = 5;

/** Cuts segments of speech into pieces of at most 4 s, with a small margin if possible. */
export function speechPieces(spans: readonly Span[]): Span[] {
  return spans.flatMap(({ start, end }) => {
    const from = Math.max(0, start - marginFrames);
    const length = end + marginFrames - from;
    const count = Math.ceil(length / longestPieceFrames);
    return Array.from({ length: count }, (_, i) => ({
      start: from + Math.floor((length * i) / count),
      end: from + Math.floor((length * (i + 1)) / count),
    }));
  });
}

/** At most about `seconds` of the pieces, spread over the whole of them, in their order. */
export function spread(pieces: readonly Span[], seconds: number): Span[] {
  const total = pieces.reduce((sum, { start, end }) => sum + end - start, 0) / 100;
  const share = Math.min(1, seconds / total);
  let due = 0;
  return pieces.filter(() => {
    due += share;
    if (due < 1 - 1e-9) return false;
    due -= 1;
    return true;
  });
}

/** The neighbouring pieces, at most `seconds` in all, that are loudest: clear speech, close to the microphone. */
export function loudestStretch(pieces: readonly Span[], levelDb: Float32Array, seconds: number): Span[] {
  const power = ({ start, end }: Span) =>
    levelDb.subarray(start, end).reduce((sum, level) => sum + 10 ** (level / 10), 0);
  let best = { from: 0, to: 0, score: -1 };
  for (let from = 0, to = 0, length = 0, sum = 0; to < pieces.length; to++) {
    length += pieces[to]!.end - pieces[to]!.start;
    sum += power(pieces[to]!);
    for (; length > seconds * 100 && from < to; from++) {
      length -= pieces[from]!.end - pieces[from]!.start;
      sum -= power(pieces[from]!);
    }
    // A short segment may be louder than a long one, but contains less.
    const score = (sum / length) * Math.min(1, length / (seconds * 100));
    if (score > best.score) best = { from, to: to + 1, score };
  }
  return pieces.slice(best.from, best.to);
}

/** The pieces of a signal at `sampleRate`, one after the other. */
export function joinPieces(signal: Float32Array, pieces: readonly Span[], sampleRate = analysisRate): Float32Array {
  const hop = (detectorHop / analysisRate) * sampleRate;
  const parts = pieces.map(({ start, end }) => signal.subarray(Math.round(start * hop), Math.round(end * hop)));
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The same signal at this level (root mean square); silence stays silence. */
export function leveled(signal: Float32Array, level: number): Float32Array {
  const power = meanPower(signal);
  const gain = power > 1e-12 ? level / Math.sqrt(power) : 1;
  return signal.map((value) => value * gain);
}
