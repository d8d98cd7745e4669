import { invalid, type ApiError } from "../base/errors.ts";

/** An opaque place in a list, for `nextCursor`. */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** Undoes `encodeCursor`; throws VALIDATION_ERROR for a text that it did not make, or for another list's. */
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
    parts.every((part) => typeof part === "string" || typeof part === "number")
  )
    return parts;
  throw notACursor();
}

/** Of lists whose cursor is the number of an item, so that it may also be made of one. */
export function numberIn(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw notACursor();
  return Number(cursor);
}

export function notACursor(): ApiError {
  return invalid([{ path: "cursor", message: "Expected the nextCursor of a page of this list with the same sort." }]);
}
