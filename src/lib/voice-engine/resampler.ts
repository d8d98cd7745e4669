/** Zero crossings of the sinc on each side: with the window below, images stay under -80 dB. */
const zeroCrossings = 20;
/** The share of the smaller Nyquist frequency that passes. */
const passband = 0.92;
/** Kaiser window of about 85 dB stop-band attenuation. */
const kaiserBeta = 8.5;
/** Rates without a common divisor would need a table of megabytes; this many phases are within -74 dB of exact. */
const maxPhases = 4096;

/** Changes the sample rate of a stream with a windowed sinc, stored as one filter per phase, without delay. */
export class Resampler {
  readonly #ratio: number;
  readonly #phases: number;
  readonly #half: number;
  readonly #filters: Float32Array;
  /** The input that later output still needs; its first sample lies at `#start` in the stream. */
  #tail: Float32Array;
  #start: number;
  #produced = 0;
  #received = 0;

  constructor(
    readonly from: number,
    readonly to: number,
  ) {
    const divisor = gcd(from, to);
    this.#ratio = from / to;
    this.#phases = Math.min(to / divisor, maxPhases);
    const cutoff = Math.min(1, to / from) * passband;
    this.#half = Math.ceil(zeroCrossings / cutoff);
    this.#filters = polyphaseFilters(this.#phases, this.#half, cutoff);
    this.#tail = new Float32Array(this.#half);
    this.#start = -this.#half;
  }

  /** Returns the output so far; the rest follows with later input or `flush`. */
  push(input: Float32Array): Float32Array {
    this.#received += input.length;
    if (this.from === this.to) return input;
    return this.#run(input, Infinity);
  }

  /** The end of the stream: in all, round(input × to / from) samples come out. */
  flush(): Float32Array {
    if (this.from === this.to) return new Float32Array(0);
    const total = Math.round(this.#received / this.#ratio);
    return this.#run(new Float32Array(2 * this.#half), total);
  }

  #run(input: Float32Array, limit: number): Float32Array {
    const taps = 2 * this.#half;
    const buffer = new Float32Array(this.#tail.length + input.length);
    buffer.set(this.#tail);
    buffer.set(input, this.#tail.length);
    const output = new Float32Array(Math.ceil(buffer.length / this.#ratio) + 1);
    const filters = this.#filters;
    let count = 0;
    let first = 0;
    for (; this.#produced < limit; count++, this.#produced++) {
      const time = this.#produced * this.#ratio;
      let index = Math.floor(time);
      let phase = Math.round((time - index) * this.#phases);
      if (phase === this.#phases) {
        phase = 0;
        index += 1;
      }
      first = index - this.#half + 1 - this.#start;
      if (first + taps > buffer.length) break;
      output[count] = product(buffer, first, filters, phase * taps, taps);
    }
    const dropped = Math.min(Math.max(0, first), buffer.length);
    this.#tail = buffer.slice(dropped);
    this.#start += dropped;
    return output.subarray(0, count);
  }
}

/** Two sums at a time: half as many additions wait for the one before. */
function product(a: Float32Array, aStart: number, b: Float32Array, bStart: number, length: number): number {
  let even = 0;
  let odd = 0;
  for (let i = 0; i < length; i += 2) {
    even += a[aStart + i]! * b[bStart + i]!;
    odd += a[aStart + i + 1]! * b[bStart + i + 1]!;
  }
  return even + odd;
}

/** A whole signal at another rate; the same array when the rates are equal. */
export function resample(signal: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return signal;
  const resampler = new Resampler(from, to);
  const body = resampler.push(signal);
  const end = resampler.flush();
  const whole = new Float32Array(body.length + end.length);
  whole.set(body);
  whole.set(end, body.length);
  return whole;
}

/** Each phase has unit gain at 0 Hz, so that a constant stays a constant. */
function polyphaseFilters(phases: number, half: number, cutoff: number): Float32Array {
  const taps = 2 * half;
  const filters = new Float32Array(phases * taps);
  const edge = bessel(kaiserBeta);
  for (let phase = 0; phase < phases; phase++) {
    const filter = new Float64Array(taps);
    let gain = 0;
    for (let i = 0; i < taps; i++) {
      const x = i - half + 1 - phase / phases;
      const window = bessel(kaiserBeta * Math.sqrt(Math.max(0, 1 - (x / half) ** 2))) / edge;
      filter[i] = sinc(cutoff * x) * window;
      gain += filter[i]!;
    }
    for (let i = 0; i < taps; i++) filters[phase * taps + i] = filter[i]! / gain;
  }
  return filters;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** The modified Bessel function of order 0, by its series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-9; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
