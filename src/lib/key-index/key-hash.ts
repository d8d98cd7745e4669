/**
 * Even keys are hot: an import asks for them row by row, so pending ones are in a hash table, and runs have filters for
 * them. Odd keys are rarely asked for.
 */
export function isHot(key: number): boolean {
  return key % 2 === 0;
}

/** Returns 32 bits, each of which depends on all bits of the key. Uses the bits of a float, because arithmetic on it is slower. */
export function hashOfKey(key: number): number {
  float[0] = key;
  const mixed = Math.imul(halves[0]! ^ Math.imul(halves[1]!, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);
