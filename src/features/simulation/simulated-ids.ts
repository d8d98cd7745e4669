import { type Ids, systemIds } from "../../platform/base/clock.ts";

/**
 * IDs and random numbers derived from the seed and the number of starts, so that the same requests have the same
 * outcome. Secrets are truly random, because the server may be reachable by others.
 */
export function createSimulatedIds(seed: number, starts: number): Ids {
  const random = seeded(Bun.hash.xxHash32(`${seed} ${starts}`));
  const tail = hex(Bun.hash.xxHash32(`tail ${seed} ${starts}`), 8);
  let issued = 0;
  return {
    // A UUID version 7 (RFC 9562, section 5.7): the time, then a counter in order of creation.
    next(at) {
      issued++;
      const time = hex(at, 12);
      const count = hex(issued, 8);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(starts, 3)}-8${count.slice(0, 3)}-${count.slice(3)}${tail.slice(1)}`;
    },
    secretBytes: systemIds.secretBytes,
    random,
  };
}

/** Mulberry32: small, and good enough for randomness that is not security-sensitive. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function hex(value: number, digits: number): string {
  return Math.floor(value).toString(16).padStart(digits, "0").slice(-digits);
}
