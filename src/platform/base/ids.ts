/** Source of IDs, secrets, and random numbers. Injected, so that tests are reproducible. */
export type Ids = {
  /** A UUID version 7: sorts by creation time, even within one millisecond. */
  next(at: number): string;
  /** `length` bytes from a cryptographic source. */
  secretBytes(length: number): Uint8Array;
  /** A random number in [0, 1). Not for secrets. */
  random(): number;
};

export const systemIds: Ids = {
  next: (at) => Bun.randomUUIDv7("hex", at),
  secretBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  random: () => Math.random(),
};
