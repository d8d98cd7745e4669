/** `damaged`, `tooLarge`, and `noSheet` are for Excel workbooks. */
export type ImportFileReason =
  | ("empty" | "notText" | "noColumns" | "badColumns" | "unknownEncoding")
  | ("damaged" | "tooLarge" | "noSheet");

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
