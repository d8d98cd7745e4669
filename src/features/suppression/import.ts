import { singleLine } from "../../platform/base/text.ts";
import { ApiError, invalid } from "../../platform/base/errors.ts";
import { requireAdmin, type Caller } from "../../platform/auth/caller.ts";
import { ListFileError, readListFile, type ListRow } from "./list-file.ts";
import type { ListText } from "./list-upload.ts";
import { maxReasonLength, maxValueLength, type SuppressionImport, type SuppressionScope } from "./model.ts";
import type { SuppressionService } from "./service.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type ImportOptions = {
  scope: SuppressionScope;
  hashOnly: boolean;
  /** Reason for lines that do not state one. */
  reason: string | null;
  /** Declared encoding of the list, if any. */
  encoding: string | null;
};

/** Maximum number of reported problems; a file of the wrong type has one in every line. */
const maxProblems = 100;

/**
 * Adds the values of a file to the do-not-contact list as it arrives. If the upload is interrupted, stored entries
 * remain, and sending the file again is safe. Throws PERMISSION_DENIED for the list of the installation unless the caller is an
 * admin, INVALID_FILE_FORMAT for files that are not text, and VALIDATION_ERROR for an empty list.
 */
export async function importList(
  service: SuppressionService,
  caller: Caller,
  workspaceId: WorkspaceId,
  { stream, delimiter }: ListText,
  { scope, hashOnly, reason, encoding }: ImportOptions,
): Promise<SuppressionImport> {
  if (scope === "team") requireAdmin(caller);
  const report: SuppressionImport = { rows: 0, added: 0, existing: 0, invalid: 0, problems: [] };
  const reject = (row: number, value: string, message: string): void => {
    report.invalid++;
    if (report.problems.length < maxProblems) report.problems.push({ row, value: value.slice(0, 100), message });
  };

  async function store(rows: readonly ListRow[]): Promise<void> {
    const values: { row: number; value: string; reason: string | null }[] = [];
    for (const row of rows) {
      report.rows++;
      if ("problem" in row) reject(row.row, "", row.problem);
      else
        for (const value of row.values)
          if (value.length > maxValueLength) reject(row.row, value, `Expected at most ${maxValueLength} characters.`);
          else values.push({ row: row.row, value, reason: reasonOf(row.reason) ?? reason });
    }
    const results = await service.addValues(caller, workspaceId, { values, scope, source: "import", hashOnly });
    results.forEach(({ outcome, value, message = "" }, index) => {
      if (outcome === "invalid") reject(values[index]?.row ?? 0, value, message);
      else report[outcome]++;
    });
  }

  try {
    for await (const rows of readListFile(stream, encoding, delimiter)) await store(rows);
  } catch (error) {
    if (!(error instanceof ListFileError)) throw error;
    throw new ApiError("INVALID_FILE_FORMAT", { message: error.message });
  }
  if (report.rows === 0)
    throw invalid([{ path: "", message: "The list is empty. Send its content as the request body." }]);
  return report;
}

function reasonOf(text: string | null): string | null {
  return text === null ? null : singleLine(text).slice(0, maxReasonLength) || null;
}
