import { systemIds, type Ids } from "../../platform/base/ids.ts";

/**
 * Ids and chance that follow from the seed and from how often the simulation was started, so that the same requests come
 * to the same end. Secrets are real ones: somebody may reach the server.
 */
export function createSimulatedIds(seed: number, starts: number): Ids {
  const random = seeded(Bun.hash.xxHash32(`${seed} ${starts}`));
  const tail = hex(Bun.hash.xxHash32(`tail ${seed} ${starts}`), 8);
  let issued = 0;
  return {
    // A UUID version 7 (RFC 9562, section 5.7): time, then in the order in which they were made.
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

/** Mulberry32: small, and good enough for chance that nobody attacks. */
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
