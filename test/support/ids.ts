import type { Ids } from "../../src/platform/base/clock.ts";
import { seeded } from "./random.ts";

/**
 * Ids, secrets and chance that are the same in every run of the same seed. The ids look as the real ones do (UUID
 * version 7, sorted by time, then by the order in which they were made). Not for two stores that meet: seed them apart.
 */
export function createIds(seed = 1): Ids {
  const random = seeded(seed);
  const tail = hex(seeded(seed ^ 0x5bd1e995)() * 2 ** 32, 8);
  let made = 0;
  return {
    next(at) {
      made++;
      const time = hex(at, 12);
      const count = hex(made, 8);
      return `${time.slice(0, 8)}-${time.slice(8)}-7${count.slice(0, 3)}-8${count.slice(3, 6)}-${count.slice(6)}00${tail}`;
    },
    secretBytes: (length) => Uint8Array.from({ length }, () => Math.floor(random() * 256)),
    random,
  };
}

/** Draws from a seeded source, in the words of a test. */
export function createDice(seed: number) {
  const random = seeded(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    below,
    /** From `min` to `max`, both included. */
    between: (min: number, max: number): number => min + below(max - min + 1),
    chance: (probability: number): boolean => random() < probability,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new Error("Expected something to choose from");
      return items[below(items.length)] as T;
    },
    shuffled<T>(items: readonly T[]): T[] {
      return items
        .map((item) => ({ item, place: random() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ item }) => item);
    },
  };
}
export type Dice = ReturnType<typeof createDice>;

function hex(value: number, digits: number): string {
  return Math.floor(value).toString(16).padStart(digits, "0").slice(-digits);
}
