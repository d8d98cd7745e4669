export type ImportFileReason = "empty" | "notText" | "noColumns" | "badColumns" | "unknownEncoding";

/** The file as a whole cannot be read. The message is shown to the user who sent it. */
export class ImportFileError extends Error {
  constructor(
    readonly reason: ImportFileReason,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = "ImportFileError";
  }
}
