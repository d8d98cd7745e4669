import { allowance, type ThreadPort } from "../../threads.ts";
import { ImportFileError, type ImportFileReason } from "./import-file-error.ts";
import { WorkbookText } from "./workbook-text.ts";

/** Input of the thread. The main thread keeps the descriptor and closes it. `sheet`: see `WorkbookText.open`. */
export type WorkbookCsvRequest = { descriptor: number; sheet: string | null };

export type WorkbookCsvAnswer =
  | { kind: "text"; text: string }
  | { kind: "refused"; reason: ImportFileReason; message: string; details: Record<string, unknown> }
  | { kind: "done" };

/** The task "workbook-csv". Each "next" asks for one more text. */
export type WorkbookCsvThread = {
  task: "workbook-csv";
  init: WorkbookCsvRequest;
  port: ThreadPort<"next", WorkbookCsvAnswer>;
};

/** Runs in the thread. Problems with the file are posted; other errors end the thread. */
export async function runWorkbookCsvThread(
  port: WorkbookCsvThread["port"],
  { descriptor, sheet }: WorkbookCsvRequest,
): Promise<void> {
  const room = allowance(port, 0);
  try {
    const text = await WorkbookText.open(descriptor, sheet);
    for (let block = await text.next(); block !== null; block = await text.next()) {
      await room();
      port.post({ kind: "text", text: block });
    }
    port.post({ kind: "done" });
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
    const { reason, message, details } = error;
    port.post({ kind: "refused", reason, message, details });
  }
}
