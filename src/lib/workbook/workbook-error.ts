/**
 * Why a workbook cannot be read. `notWorkbook`: another kind of file, including protected and older workbooks. `tooLarge`:
 * beyond a limit, as an archive made to exhaust memory is. `noSheet`: the requested sheet does not exist.
 */
export type WorkbookProblem = "notWorkbook" | "damaged" | "tooLarge" | "noSheet";

/** A workbook that cannot be read. The message is for the user who sent it. */
export class WorkbookError extends Error {
  constructor(
    readonly problem: WorkbookProblem,
    message: string,
    /** Names of the sheets, if the requested one does not exist. */
    readonly sheets: readonly string[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "WorkbookError";
  }
}

export function damaged(detail: string, cause?: unknown): WorkbookError {
  const message = `The workbook is damaged: ${detail} Open it in Excel or LibreOffice, save it again, then send that.`;
  return new WorkbookError("damaged", message, [], { cause });
}

export function tooLarge(limit: string): WorkbookError {
  return new WorkbookError("tooLarge", `${limit} Save the sheet as CSV (UTF-8), then send that.`);
}
