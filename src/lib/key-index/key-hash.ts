/** 32 bits of a key, each of which all of its bits have a part in. Of the bits of a float: arithmetic with these takes longer. */
export function hashOfKey(key: number): number {
  float[0] = key;
  const mixed = Math.imul(halves[0]! ^ Math.imul(halves[1]!, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);
