import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import {
  cellStyles,
  columnName,
  contentTypes,
  rootRelations,
  sheetEnd,
  sheetStart,
  stylesXml,
  workbookRelations,
  workbookXml,
} from "./written-parts.ts";

/** A date is written as such, in UTC: cells have no time zone. */
export type WrittenCell = string | Date | null;

/** Rows that are written at once, which takes a millisecond. */
const rowsAtOnce = 100;
/** Limits of Excel. */
const maxSheetRows = 1_048_576;
const maxCellLength = 32_767;
/** Equal content makes equal files. The earliest time that a ZIP archive can state. */
const mtime = new Date(1980, 0, 1);
/** Less work than the default of 6: sheets repeat themselves so much that packing harder gains little. */
const compressionLevel = 3;

/**
 * Writes rows as an Excel workbook, piece by piece and in constant memory. Texts are cells of type text and never
 * formulas or numbers, whatever they start with. Rows beyond the limit of a sheet go to further sheets, each with the
 * header.
 */
export async function* workbookPieces(
  header: readonly string[],
  pages: AsyncIterable<readonly (readonly WrittenCell[])[]>,
  sheetName: string,
  maxRows = maxSheetRows,
): AsyncGenerator<Uint8Array, void, void> {
  const rows = new RowSource(pages);
  // What reading the first rows throws, is thrown before any piece.
  await rows.hasMore();
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  const sheet: { stream: Readable | null } = { stream: null };
  const written = writeSheets().catch((error: unknown) => {
    output.destroy(error as Error);
  });
  try {
    for await (const piece of output) yield piece as Buffer;
  } finally {
    sheet.stream?.destroy(); // also ends the reading of pages if the consumer left
    await written;
    await rows.end();
  }

  async function writeSheets(): Promise<void> {
    let sheets = 0;
    do {
      sheets++;
      sheet.stream = Readable.from(sheetXml(header, rows, maxRows));
      zip.addReadStream(sheet.stream, `xl/worksheets/sheet${sheets}.xml`, { mtime, compressionLevel });
      await finished(sheet.stream);
    } while (await rows.hasMore());
    const names = Array.from({ length: sheets }, (_, at) => (at === 0 ? sheetName : `${sheetName} ${at + 1}`));
    const parts = {
      "xl/workbook.xml": workbookXml(names),
      "xl/_rels/workbook.xml.rels": workbookRelations(sheets),
      "xl/styles.xml": stylesXml,
      "_rels/.rels": rootRelations,
      "[Content_Types].xml": contentTypes(sheets),
    };
    for (const [path, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(xml), path, { mtime });
    zip.end();
  }
}

async function* sheetXml(
  header: readonly string[],
  rows: RowSource,
  maxRows: number,
): AsyncGenerator<Buffer, void, void> {
  yield Buffer.from(sheetStart(header.length) + rowXml(header, 1, cellStyles.header));
  for (let row = 2; row <= maxRows;) {
    const next = await rows.take(Math.min(rowsAtOnce, maxRows - row + 1));
    if (next.length === 0) break;
    yield Buffer.from(next.map((cells) => rowXml(cells, row++, cellStyles.text)).join(""));
  }
  yield Buffer.from(sheetEnd);
}

/** Rows from pages, in any number. */
class RowSource {
  readonly #pages: AsyncIterator<readonly (readonly WrittenCell[])[]>;
  #page: readonly (readonly WrittenCell[])[] = [];
  #at = 0;

  constructor(pages: AsyncIterable<readonly (readonly WrittenCell[])[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  async hasMore(): Promise<boolean> {
    while (this.#at === this.#page.length) {
      const { done, value } = await this.#pages.next();
      if (done === true) return false;
      this.#page = value;
      this.#at = 0;
    }
    return true;
  }

  /** At most `limit` rows; none at the end. */
  async take(limit: number): Promise<readonly (readonly WrittenCell[])[]> {
    if (!(await this.hasMore())) return [];
    const rows = this.#page.slice(this.#at, this.#at + limit);
    this.#at += rows.length;
    return rows;
  }

  async end(): Promise<void> {
    await this.#pages.return?.();
  }
}

function rowXml(cells: readonly WrittenCell[], row: number, style: number): string {
  let xml = `<row r="${row}">`;
  for (let column = 0; column < cells.length; column++) {
    const cell = cells[column];
    if (cell === null || cell === undefined || cell === "") continue;
    const place = `${columnName(column)}${row}`;
    if (typeof cell === "string")
      xml += `<c r="${place}" s="${style}" t="inlineStr"><is><t${spaceAttribute(cell)}>${xmlText(cell)}</t></is></c>`;
    else xml += `<c r="${place}" s="${cellStyles.dateTime}"><v>${serialOf(cell)}</v></c>`;
  }
  return `${xml}</row>`;
}

/** Days since 30 December 1899, as the 1900 date system counts from March 1900 on. */
function serialOf(date: Date): number {
  return Math.round(date.getTime() / 1000) / 86_400 + 25_569;
}

function spaceAttribute(text: string): string {
  return text.includes("\n") || text !== text.trim() ? ' xml:space="preserve"' : "";
}

const special = /[&<>\ufffe\uffff]|(?![\t\n])\p{Cc}|_x[\dA-Fa-f]{4}_/u;
const allSpecial = new RegExp(special, "gu");
const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Text for XML. Characters that it cannot contain are written as `_x0007_`, as Excel does. */
function xmlText(text: string): string {
  if (text.length > maxCellLength)
    throw new RangeError(`A cell of ${text.length} characters; the limit is ${maxCellLength}.`);
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (!special.test(whole)) return whole;
  return whole.replace(allSpecial, (found) => {
    if (found.startsWith("_x")) return `_x005F${found}`;
    return entities[found] ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  });
}
