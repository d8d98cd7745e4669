import { invalid } from "../base/errors.ts";

/**
 * Behind which event a stream begins; null: with what is to come. The query wins over Last-Event-ID: whoever writes it
 * means it, while browsers send the header by themselves. VALIDATION_ERROR for a header that is no id.
 */
export function startOf(headers: Headers, after: number | undefined): number | null {
  const header = headers.get("last-event-id")?.trim() ?? "";
  if (after !== undefined || header === "") return after ?? null;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw invalid([{ path: "Last-Event-ID", message: "Expected the id of an event, a number." }]);
}
