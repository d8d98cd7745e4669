import { readSync } from "node:fs";
import { compoundFile, isCompoundFile, isZip } from "../../lib/workbook/other-files.ts";
import { resolveFormat, type DetectedFormat, type FileFormatOptions } from "./file-format.ts";
import { ImportFileError } from "./import-file-error.ts";
import type { TableText } from "./table-text.ts";
import { TextFile } from "./text-file.ts";

/** A file of rows. */
export type TableFile = {
  format: DetectedFormat;
  text: TableText;
  /** Separator of CSV cells. Null: to be detected. */
  delimiter: string | null;
  /** The sheet that is read, and all sheets of the workbook. Null and none for other files. */
  sheet: string | null;
  sheets: readonly string[];
};

type Options = Pick<FileFormatOptions, "format" | "delimiter" | "encoding" | "sheet">;

/**
 * Opens a text file or an Excel workbook by its declared format and its first bytes, which must agree. Throws
 * ImportFileError. The descriptor belongs to the caller and stays open.
 */
export async function openTable(descriptor: number, options: Options): Promise<TableFile> {
  const { format, delimiter, encoding = null, sheet = null } = options;
  const head = new Uint8Array(8);
  readSync(descriptor, head, 0, head.length, 0);
  if (isCompoundFile(head)) throw new ImportFileError("notText", compoundFile(descriptor).message);
  if (isZip(head)) {
    if (format === "csv" || format === "ndjson") throw workbookAs(format);
    // Loaded only for workbooks: other imports do not need its half a MB.
    const { WorkbookText } = await import("./workbook-text.ts");
    const text = await WorkbookText.open(descriptor, sheet);
    return { format: "xlsx", text, delimiter: ",", sheet: text.sheet, sheets: text.sheets };
  }
  const text = new TextFile(descriptor, encoding);
  if (format === "xlsx") throw notAWorkbook();
  return { format: resolveFormat(format, text.sample), text, delimiter, sheet: null, sheets: [] };
}

/** Says which sheet was read if none of its lines was understood and the workbook has others. */
export function withSheets(error: ImportFileError, { sheet, sheets }: TableFile): ImportFileError {
  if (sheet === null || sheets.length < 2) return error;
  const others = sheets.filter((name) => name !== sheet);
  const listed = others.slice(0, 20).join(", ") + (others.length > 20 ? ` and ${others.length - 20} more` : "");
  const message = `${error.message} Only the sheet "${sheet}" was read. To read another, set \`sheet\` (--sheet on the command line): ${listed}.`;
  return new ImportFileError(error.reason, message, { ...error.details, sheet, sheets: sheets.slice(0, 100) });
}

function workbookAs(format: "csv" | "ndjson"): ImportFileError {
  return new ImportFileError(
    "notText",
    `The file looks like an Excel workbook (.xlsx) or another ZIP archive, but was sent as ${format.toUpperCase()}. ` +
      "Give its name the extension .xlsx, or over HTTP its content type, then send it again.",
  );
}

function notAWorkbook(): ImportFileError {
  return new ImportFileError(
    "notText",
    "The file is text, not an Excel workbook (.xlsx), as which it was sent. If it is CSV, give its name the extension .csv, " +
      "or over HTTP its content type, then send it again.",
  );
}
