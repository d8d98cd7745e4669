import type { ByteSource } from "../byte-source.ts";
import { ByteWindow } from "../byte-window.ts";
import type { Box } from "./boxes.ts";

/** Numbers of 32 bits in a box, read one after the other; the box may claim more of them than it holds. */
export class Table {
  readonly #window: ByteWindow;

  /** The content of `box` from byte `skip` on. */
  constructor(source: ByteSource, box: Box, skip: number) {
    this.#window = new ByteWindow(source, Math.min(box.start + skip, box.end), box.end);
  }

  /** null: the box ends. */
  next(): number | null {
    const bytes = this.#window.peek(4);
    if (bytes.length < 4) return null;
    this.#window.skip(4);
    return ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) >>> 0;
  }

  /** The next two numbers as one of 64 bits. */
  nextLong(): number | null {
    const high = this.next();
    const low = this.next();
    return high === null || low === null ? null : high * 2 ** 32 + low;
  }
}
