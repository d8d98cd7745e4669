import { invalid } from "../base/errors.ts";

/**
 * The event after which a stream starts; null: new events only. The query takes precedence over Last-Event-ID, because
 * browsers send the header automatically. Throws VALIDATION_ERROR if the header is not an ID.
 */
export function startOf(headers: Headers, after: number | undefined): number | null {
  const header = headers.get("last-event-id")?.trim() ?? "";
  if (after !== undefined || header === "") return after ?? null;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw invalid([{ path: "Last-Event-ID", message: "Expected the ID of an event, which is a number." }]);
}
