import type { RevenueRange } from "../model.ts";
import { PlainPeople } from "./plain-person.ts";
import { checkedProspect } from "./raw-prospect.ts";
import { RowBuffer } from "./row-buffer.ts";
import { RowText } from "./row-text.ts";

/** Creates prospect and company rows from the values of a file. */
export class RowWriter {
  readonly buffer = new RowBuffer();
  /** Values of the next row; fill before calling `write`. */
  readonly text = new RowText();
  readonly #people = new PlainPeople(this.buffer);

  /** `technologies` and `revenue` are passed if the file has them as a list and a range. */
  write(row: number, technologies: string[] | null = null, revenue: RevenueRange | null = null): void {
    if (this.#people.write(row, this.text, technologies, revenue)) return;
    const read = checkedProspect(this.text.values(), technologies, revenue);
    if ("errors" in read) this.buffer.refuseAll(row, read.errors);
    else this.buffer.put(row, read.kind, read.content, read.keys, read.beside);
  }

  refuse(row: number, message: string, path = ""): void {
    this.buffer.refuse(row, path, message);
  }
}
