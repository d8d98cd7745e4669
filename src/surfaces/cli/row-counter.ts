export type LineFormat = "csv" | "ndjson";

const lineFeed = 0x0a;
const quote = 0x22;

/** Counts the leads in an export while it is streamed. A line break inside a quoted CSV field does not end a row. */
export class RowCounter {
  readonly #format: LineFormat;
  #lines = 0;
  #quoted = false;

  constructor(format: LineFormat) {
    this.#format = format;
  }

  /** Excludes the header of a CSV file. */
  get rows(): number {
    return this.#format === "csv" ? Math.max(0, this.#lines - 1) : this.#lines;
  }

  add(chunk: Uint8Array): void {
    for (const byte of chunk)
      // A doubled quote inside a field leaves and immediately re-enters it.
      if (byte === quote && this.#format === "csv") this.#quoted = !this.#quoted;
      else if (byte === lineFeed && !this.#quoted) this.#lines++;
  }
}
