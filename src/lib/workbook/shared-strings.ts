import { damaged, tooLarge } from "./workbook-error.ts";

const pageBytes = 2 ** 20;
/** Texts are held in memory while a sheet is read. */
export const maxSharedBytes = 128 * 2 ** 20;
/** Longer ones are a mistake: Excel allows 32,767 characters in a cell. */
export const longestText = 262_144;

/** The texts that cells refer to by number. Held as UTF-8, which takes a third of the memory of strings. */
export class SharedStrings {
  readonly #pages: Buffer[] = [];
  #used = pageBytes;
  /** Start of each text, counted over all pages, and the end of the previous one. */
  #starts = new Uint32Array(1024);
  #ends = new Uint32Array(1024);
  #count = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = maxSharedBytes) {
    this.#maxBytes = maxBytes;
  }

  add(text: string): void {
    if (text.length > longestText) throw longText();
    const most = text.length * 3;
    if (this.#used + most > pageBytes) this.#addPage();
    if (this.#count === this.#starts.length) this.#grow();
    const base = (this.#pages.length - 1) * pageBytes;
    this.#starts[this.#count] = base + this.#used;
    this.#used += this.#pages.at(-1)!.write(text, this.#used);
    this.#ends[this.#count++] = base + this.#used;
  }

  /** Throws WorkbookError if there is no such text. */
  get(index: number): string {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count)
      throw damaged("a cell refers to a text that it lacks.");
    const start = this.#starts[index]!;
    const at = start % pageBytes;
    const page = this.#pages[(start - at) / pageBytes]!;
    return page.toString("utf8", at, at + this.#ends[index]! - start);
  }

  #addPage(): void {
    // With the tables of positions, so that millions of empty texts are limited too.
    if ((this.#pages.length + 1) * pageBytes + this.#starts.byteLength > this.#maxBytes) throw this.#full();
    this.#pages.push(Buffer.allocUnsafeSlow(pageBytes));
    this.#used = 0;
  }

  #grow(): void {
    if (this.#pages.length * pageBytes + this.#starts.byteLength * 4 > this.#maxBytes) throw this.#full();
    this.#starts = grown(this.#starts);
    this.#ends = grown(this.#ends);
  }

  #full(): Error {
    return tooLarge(
      `The workbook has more than ${Math.floor(this.#maxBytes / 2 ** 20)} MB of different texts, which is the limit.`,
    );
  }
}

export function longText(): Error {
  return tooLarge(`The workbook has a cell of more than ${longestText.toLocaleString("en-US")} characters.`);
}

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}
