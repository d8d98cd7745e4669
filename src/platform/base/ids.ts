/** Where ids, secrets and chance come from. Injected, so that a test can repeat a run exactly. */
export type Ids = {
  /** A UUID version 7: sorts by the time it was made at, also within one millisecond. */
  next(at: number): string;
  /** `length` bytes from a cryptographic source. */
  secretBytes(length: number): Uint8Array;
  /** A number from 0 up to but not including 1; not for secrets. */
  random(): number;
};

export const systemIds: Ids = {
  next: (at) => Bun.randomUUIDv7("hex", at),
  secretBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
  random: () => Math.random(),
};
