export const exportFormats = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const lineFeed = 0x0a;
const quote = 0x22;

/** Counts leads in an export as its bytes go by. A line break inside a quoted CSV field ends no row. */
export class RowCounter {
  readonly #format: ExportFormat;
  #lines = 0;
  #quoted = false;

  constructor(format: ExportFormat) {
    this.#format = format;
  }

  /** Without the line of headings of a CSV file. */
  get rows(): number {
    return this.#format === "csv" ? Math.max(0, this.#lines - 1) : this.#lines;
  }

  add(chunk: Uint8Array): void {
    for (const byte of chunk)
      // A doubled quote inside a field leaves and enters it again at once.
      if (byte === quote && this.#format === "csv") this.#quoted = !this.#quoted;
      else if (byte === lineFeed && !this.#quoted) this.#lines++;
  }
}
