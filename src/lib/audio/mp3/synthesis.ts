const subbands = 32;
/** Time slots that the window spans. */
const slots = 16;

/**
 * Makes samples of 32 subbands (ISO/IEC 11172-3 section 2.4.3.2). One for each channel: every sample is made of the last
 * sixteen time slots.
 *
 * The standard turns each slot into 64 values cos((16 + i)(2k + 1) pi / 64). They are the 32 of a DCT, mirrored and
 * negated, so only those are kept, and the signs are put into the window.
 */
export class SynthesisFilterbank {
  /** The newest slot first, twice over, so that sixteen slots from anywhere on lie in one piece. */
  readonly #memory = new Float64Array(2 * slots * subbands);
  #newest = 0;

  /** `input`: sample t of subband s at 32t + s. As many samples come out, from `at` on. */
  run(input: Float64Array, into: Float32Array, at: number): void {
    for (let slot = 0; slot < input.length / subbands; slot++) {
      this.#newest = (this.#newest + slots - 1) % slots;
      transform(input, slot * subbands, this.#memory, this.#newest * subbands);
      sumWindowed(this.#memory, this.#newest * subbands, into, at + slot * subbands);
    }
  }
}

const sums = new Float64Array(16);
const differences = new Float64Array(16);
const even = new Float64Array(16);
const odd = new Float64Array(17);
/** 1 / 2cos(...): what makes the odd places of a DCT-II from one of half its length (Lee 1984). */
const secants = Float64Array.from({ length: 16 }, (_, i) => 0.5 / Math.cos((Math.PI / 64) * (2 * i + 1)));

/** DCT-II of 32 values, stored twice. */
function transform(input: Float64Array, from: number, memory: Float64Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const a = input[from + i]!;
    const b = input[from + 31 - i]!;
    sums[i] = a + b;
    differences[i] = (a - b) * secants[i]!;
  }
  transform16(sums, even);
  transform16(differences, odd);
  const again = at + slots * subbands;
  for (let i = 0; i < 16; i++) {
    const first = even[i]!;
    const second = odd[i]! + odd[i + 1]!;
    memory[at + 2 * i] = first;
    memory[at + 2 * i + 1] = second;
    memory[again + 2 * i] = first;
    memory[again + 2 * i + 1] = second;
  }
}

const mirrored = new Float64Array(8);
/** The odd rows of a DCT-II of 16 and of 8, for the differences of mirrored values. */
const oddRows16 = oddRows(8);
const oddRows8 = oddRows(4);
const cosEighth = Math.cos(Math.PI / 8);
const sinEighth = Math.sin(Math.PI / 8);

function oddRows(half: number): Float64Array {
  return Float64Array.from({ length: half * half }, (_, at) => {
    return Math.cos((Math.PI / (4 * half)) * (2 * Math.floor(at / half) + 1) * (2 * (at % half) + 1));
  });
}

/** DCT-II of 16 values, which are used up: sums of mirrored values give the even places, differences the odd ones. */
function transform16(values: Float64Array, into: Float64Array): void {
  fold(values, 8);
  multiply(oddRows16, 8, into, 1);
  fold(values, 4);
  multiply(oddRows8, 4, into, 2);
  const outer = values[0]! - values[3]!;
  const inner = values[1]! - values[2]!;
  const outerSum = values[0]! + values[3]!;
  const innerSum = values[1]! + values[2]!;
  into[0] = outerSum + innerSum;
  into[4] = outer * cosEighth + inner * sinEighth;
  into[8] = (outerSum - innerSum) * Math.SQRT1_2;
  into[12] = outer * sinEighth - inner * cosEighth;
}

/** The first half of the values becomes their sums with the second, from the end on; `mirrored` the differences. */
function fold(values: Float64Array, half: number): void {
  for (let i = 0; i < half; i++) {
    const a = values[i]!;
    const b = values[2 * half - 1 - i]!;
    values[i] = a + b;
    mirrored[i] = a - b;
  }
}

/** Two rows at a time: one sum alone would wait for each addition to end. */
function multiply(matrix: Float64Array, size: number, into: Float64Array, step: number): void {
  for (let k = 0; k < size; k += 2) {
    const row = k * size;
    let first = 0;
    let second = 0;
    for (let i = 0; i < size; i++) {
      const value = mirrored[i]!;
      first += matrix[row + i]! * value;
      second += matrix[row + size + i]! * value;
    }
    into[(2 * k + 1) * step] = first;
    into[(2 * k + 3) * step] = second;
  }
}

/** Samples i and 32 - i are made of the same values: place 16 + i of even slots and 16 - i of odd ones. */
function sumWindowed(memory: Float64Array, newest: number, into: Float32Array, at: number): void {
  for (let i = 0; i <= 16; i++) {
    const row = i * slots;
    const opposite = row + 17 * slots;
    const evenAt = newest + 16 + (i & 15);
    const oddAt = newest + 48 - i;
    let lowEven = 0;
    let lowOdd = 0;
    let highEven = 0;
    let highOdd = 0;
    for (let slot = 0; slot < slots; slot += 2) {
      const a = memory[evenAt + slot * subbands]!;
      const b = memory[oddAt + slot * subbands]!;
      lowEven += a * signedWindow[row + slot]!;
      lowOdd += b * signedWindow[row + slot + 1]!;
      highEven += a * signedWindow[opposite + slot]!;
      highOdd += b * signedWindow[opposite + slot + 1]!;
    }
    into[at + i] = lowEven + lowOdd;
    if (i > 0 && i < 16) into[at + 32 - i] = highEven + highOdd;
  }
}

/** The first half of the window of table B.3, times 65,536. */
const halfWindow = [
  0, -1, -1, -1, -1, -1, -1, -2, -2, -2, -2, -3, -3, -4, -4, -5, -5, -6, -7, -7, -8, -9, -10, -11, -13, -14, -16, -17,
  -19, -21, -24, -26, -29, -31, -35, -38, -41, -45, -49, -53, -58, -63, -68, -73, -79, -85, -91, -97, -104, -111, -117,
  -125, -132, -139, -147, -154, -161, -169, -176, -183, -190, -196, -202, -208, 213, 218, 222, 225, 227, 228, 228, 227,
  224, 221, 215, 208, 200, 189, 177, 163, 146, 127, 106, 83, 57, 29, -2, -36, -72, -111, -153, -197, -244, -294, -347,
  -401, -459, -519, -581, -645, -711, -779, -848, -919, -991, -1064, -1137, -1210, -1283, -1356, -1428, -1498, -1567,
  -1634, -1698, -1759, -1817, -1870, -1919, -1962, -2001, -2032, -2057, -2075, -2085, -2087, -2080, -2063, 2037, 2000,
  1952, 1893, 1822, 1739, 1644, 1535, 1414, 1280, 1131, 970, 794, 605, 402, 185, -45, -288, -545, -814, -1095, -1388,
  -1692, -2006, -2330, -2663, -3004, -3351, -3705, -4063, -4425, -4788, -5153, -5517, -5879, -6237, -6589, -6935, -7271,
  -7597, -7910, -8209, -8491, -8755, -8998, -9219, -9416, -9585, -9727, -9838, -9916, -9959, -9966, -9935, -9863, -9750,
  -9592, -9389, -9139, -8840, -8492, -8092, -7640, -7134, 6574, 5959, 5288, 4561, 3776, 2935, 2037, 1082, 70, -998,
  -2122, -3300, -4533, -5818, -7154, -8540, -9975, -11455, -12980, -14548, -16155, -17799, -19478, -21189, -22929,
  -24694, -26482, -28289, -30112, -31947, -33791, -35640, -37489, -39336, -41176, -43006, -44821, -46617, -48390,
  -50137, -51853, -53534, -55178, -56778, -58333, -59838, -61289, -62684, -64019, -65290, -66494, -67629, -68692,
  -69679, -70590, -71420, -72169, -72835, -73415, -73908, -74313, -74630, -74856, -74992, 75038,
];

/** The whole window: its second half mirrors the first, negated but for every 64th. */
function windowAt(index: number): number {
  const value = index <= 256 ? halfWindow[index]! : halfWindow[512 - index]! * (index % 64 === 0 ? 1 : -1);
  return value / 65_536;
}

/** Sample i and slot n at 16i + n, for i up to 16; then the same for samples 32 - i. */
const signedWindow = Float64Array.from({ length: 2 * 17 * slots }, (_, at) => {
  const isMirrored = at >= 17 * slots;
  const i = Math.floor(at / slots) % 17;
  const slot = at % slots;
  const value = windowAt(slot * subbands + (isMirrored ? 32 - i : i));
  if (slot % 2 === 1) return -value;
  return i === 16 ? 0 : isMirrored ? -value : value;
});
