import { invalid, type ApiError } from "../base/errors.ts";

/** Encodes a position in a list as an opaque `nextCursor`. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** Reverses `encodeCursor`. Throws VALIDATION_ERROR for any other text and for cursors of other lists. */
export function decodeCursor(cursor: string, length: number): (string | number)[] {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    parts = null;
  }
  if (
    Array.isArray(parts) &&
    parts.length === length &&
    parts.every((part) => (typeof part === "string" && !part.includes("\0")) || typeof part === "number")
  )
    return parts;
  throw notACursor();
}

/** A part of a cursor that is a whole number. Throws VALIDATION_ERROR for a cursor that somebody made up. */
export function wholeIn(part: string | number | undefined): number {
  if (typeof part !== "number" || !Number.isSafeInteger(part)) throw notACursor();
  return part;
}

/** For lists whose cursor is the number of an item, so that clients can also derive it from an item. */
export function numberIn(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw notACursor();
  return Number(cursor);
}

export function notACursor(): ApiError {
  return invalid([{ path: "cursor", message: "Expected the nextCursor of a page of this list with the same sort." }]);
}
