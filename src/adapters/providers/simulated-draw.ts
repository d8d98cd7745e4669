/** Returns a number in [0, 1) that is the same for the same seed and text. */
export function drawOf(seed: number, text: string): number {
  return Bun.hash.xxHash32(text, seed) / 2 ** 32;
}

export function pickOf(list: readonly string[], seed: number, text: string): string {
  return list[Math.floor(drawOf(seed, text) * list.length)] ?? "";
}
