import { numberText, type CellFormat } from "./cell-formats.ts";
import { longestText, longText, type SharedStrings } from "./shared-strings.ts";
import { damaged, tooLarge } from "./workbook-error.ts";
import { XmlReader } from "./xml-reader.ts";

/** A row with at least one cell that is not empty. `row` counts from 1; `cells` end with the last one that is not empty. */
export type SheetRow = { row: number; cells: string[] };

/** What the cells of all sheets of a workbook refer to. */
export type CellContext = { texts: SharedStrings; formats: readonly CellFormat[]; is1904: boolean };

/** Limits of Excel. */
const maxRows = 1_048_576;
const maxColumns = 16_384;
/** Far beyond a row that anyone reads. */
export const longestRow = 1_048_576;
/** Characters of the rows that a piece completes. Cells can refer to one long text again and again. */
const longestPiece = 8 * 2 ** 20;
/** Characters of all rows. */
const longestSheet = 2 * 2 ** 30;

/** Parses the XML of a sheet piece by piece. */
export class SheetRows {
  readonly #xml: XmlReader;
  readonly #context: CellContext;
  #rows: SheetRow[] = [];
  #row = 0;
  #cells: string[] = [];
  #rowLength = 0;
  #pieceLength = 0;
  #sheetLength = 0;
  #column = -1;
  #type = "n";
  #style = "0";
  /** Text of the current cell: its value, or its own text in parts. */
  #text = "";
  #isText = false;
  #isReading = false;
  /** Inside the pronunciation of a Japanese text, which repeats it. */
  #isPhonetic = false;

  constructor(part: string, context: CellContext) {
    this.#context = context;
    this.#xml = new XmlReader(part, {
      open: (name, attributes) => this.#open(name, attributes),
      close: (name) => this.#close(name),
      text: (text) => this.#addText(text),
    });
  }

  /** Accepts the next piece and returns the rows that it completes; null is the end. Throws WorkbookError. */
  take(piece: Uint8Array | null): SheetRow[] {
    if (piece === null) this.#xml.close();
    else this.#xml.write(piece);
    const rows = this.#rows;
    this.#rows = [];
    this.#sheetLength += this.#pieceLength;
    this.#pieceLength = 0;
    if (this.#sheetLength > longestSheet) throw tooLarge("The sheet has more than 2 GB of text, which is the limit.");
    return rows;
  }

  #open(name: string, attributes: Record<string, string>): void {
    switch (name) {
      case "row":
        return this.#startRow(attributes["r"]);
      case "c":
        return this.#startCell(attributes);
      case "v":
        this.#isReading = true;
        return;
      case "is":
        this.#isText = true;
        return;
      case "t":
        this.#isReading = this.#isText && !this.#isPhonetic;
        return;
      case "rPh":
        this.#isPhonetic = true;
    }
  }

  #close(name: string): void {
    switch (name) {
      case "v":
      case "t":
        this.#isReading = false;
        return;
      case "is":
        this.#isText = false;
        return;
      case "rPh":
        this.#isPhonetic = false;
        return;
      case "c":
        return this.#endCell();
      case "row":
        if (this.#cells.length > 0) this.#rows.push({ row: this.#row, cells: this.#cells });
    }
  }

  #addText(text: string): void {
    if (!this.#isReading) return;
    this.#text += text;
    if (this.#text.length > longestText) throw longText();
  }

  #startRow(number: string | undefined): void {
    const row = number === undefined ? this.#row + 1 : Number(number);
    if (!Number.isInteger(row) || row <= this.#row || row > maxRows)
      throw damaged(`row ${this.#row} is followed by row "${String(number).slice(0, 20)}".`);
    this.#row = row;
    this.#cells = [];
    this.#rowLength = 0;
    this.#column = -1;
  }

  #startCell({ r, t = "n", s = "0" }: Record<string, string>): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column <= this.#column || column >= maxColumns)
      throw damaged(`row ${this.#row} has a cell "${String(r).slice(0, 20)}" in a place where none can be.`);
    this.#column = column;
    this.#type = t;
    this.#style = s;
    this.#text = "";
  }

  #endCell(): void {
    const value = this.#value();
    if (value === "") return;
    const length = value.length + this.#column - this.#cells.length; // empty cells take memory too
    this.#rowLength += length;
    this.#pieceLength += length;
    if (this.#rowLength > longestRow)
      throw tooLarge(`Row ${this.#row} has more than ${longestRow.toLocaleString("en-US")} characters.`);
    if (this.#pieceLength > longestPiece)
      throw tooLarge(
        `The rows up to ${this.#row} repeat long texts too often: they take more than 8 MB in a small part.`,
      );
    while (this.#cells.length < this.#column) this.#cells.push("");
    this.#cells.push(value);
  }

  #value(): string {
    const text = this.#text;
    if (text === "") return "";
    const { texts, formats, is1904 } = this.#context;
    switch (this.#type) {
      case "s":
        return texts.get(Number(text));
      case "inlineStr":
      case "str":
        return cellText(text);
      case "b":
        return text === "1" || text === "true" ? "TRUE" : "FALSE";
      case "e":
        // #N/A of a lookup that found nothing: no value is better than this one.
        return "";
      case "d":
        return text;
      default:
        return numberText(text, formats[Number(this.#style)] ?? "number", is1904);
    }
  }
}

/**
 * Text as a program shows it: characters that XML cannot contain are written as `_x0007_` (ECMA-376, part 1, 22.9.2.19),
 * and line breaks are line feeds.
 */
export function cellText(text: string): string {
  const decoded = text.includes("_x")
    ? text.replace(/_x([\da-f]{4})_/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
  return decoded.includes("\r") ? decoded.replace(/\r\n?/g, "\n") : decoded;
}

/** Index of the column of a reference such as "AB12"; beyond all columns if it is none. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const letter = (reference.charCodeAt(at) & ~0x20) - 0x40;
    if (letter < 1 || letter > 26) return at > 0 && at <= 3 ? column - 1 : maxColumns;
    column = column * 26 + letter;
  }
  return maxColumns;
}
