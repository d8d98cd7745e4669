import { csvCell } from "../../lib/table-file/csv-cell.ts";
import { Workbook, type Sheet } from "../../lib/workbook/workbook.ts";
import { WorkbookError } from "../../lib/workbook/workbook-error.ts";
import { ImportFileError, type ImportFileReason } from "./import-file-error.ts";
import type { TableText } from "./table-text.ts";

/** Text in which the header is detected, as in a text file. */
const sampleLength = 65_536;
const blockLength = 65_536;

/**
 * A sheet of an Excel workbook as the text of a CSV file, so that it is read by the same rules: comma, line feed, and
 * a line for each row up to the last one with content, so that row numbers are those of the sheet.
 */
export class WorkbookText implements TableText {
  readonly encoding = "utf-8";
  readonly sampleHasBadBytes = false;
  readonly hasBadBytes = false;
  sample = "";
  sampleIsAll = false;
  /** Name of the sheet, and of all sheets of the workbook. */
  readonly sheet: string;
  readonly sheets: readonly string[];
  readonly #workbook: Workbook;
  readonly #lines: AsyncGenerator<string, void, void>;
  #isSampleNext = true;

  private constructor(workbook: Workbook, sheet: Sheet) {
    this.sheet = sheet.name;
    this.sheets = workbook.sheets.map(({ name }) => name);
    this.#workbook = workbook;
    this.#lines = linesOf(workbook, sheet);
  }

  /**
   * Opens the sheet with this name or number; null is the first that is not hidden. Throws ImportFileError. The
   * descriptor belongs to the caller and stays open.
   */
  static async open(descriptor: number, sheet: string | null): Promise<WorkbookText> {
    return await explained(async () => {
      const workbook = await Workbook.open(descriptor);
      const text = new WorkbookText(workbook, workbook.sheet(sheet));
      text.sample = await text.#read(sampleLength);
      text.sampleIsAll = text.sample.length < sampleLength;
      if (text.sample === "") throw new ImportFileError("empty", `The sheet "${text.sheet}" is empty.`);
      return text;
    });
  }

  get bytesRead(): number {
    return this.#workbook.bytesRead;
  }

  async next(): Promise<string | null> {
    if (this.#isSampleNext) {
      this.#isSampleNext = false;
      return this.sample;
    }
    const text = await explained(() => this.#read(blockLength));
    return text === "" ? null : text;
  }

  /** The next text of at least this length, less at the end. */
  async #read(length: number): Promise<string> {
    let text = "";
    while (text.length < length) {
      const { done, value } = await this.#lines.next();
      if (done === true) break;
      text += value;
    }
    return text;
  }
}

async function* linesOf(workbook: Workbook, sheet: Sheet): AsyncGenerator<string, void, void> {
  let line = 1;
  let text = "";
  for await (const rows of workbook.rows(sheet)) {
    for (const { row, cells } of rows) {
      // The last row of a sheet may follow a million empty ones.
      for (; line < row; line++) {
        text += "\n";
        if (text.length < blockLength) continue;
        yield text;
        text = "";
      }
      text += `${cells.map(csvCell).join(",")}\n`;
      line++;
    }
    if (text !== "") yield text;
    text = "";
  }
}

const reasons: Record<WorkbookError["problem"], ImportFileReason> = {
  notWorkbook: "notText",
  damaged: "damaged",
  tooLarge: "tooLarge",
  noSheet: "noSheet",
};

/** The error of an import for one of a workbook. */
export function importFileError({ problem, message, sheets }: WorkbookError): ImportFileError {
  return new ImportFileError(reasons[problem], message, sheets.length === 0 ? {} : { sheets });
}

async function explained<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkbookError) throw importFileError(error);
    throw error;
  }
}
