import { currentEntry } from "../../scroll.ts";
import { session } from "../../session.ts";

type ListPlace = { query: string; entry: string };

/** Call while the list is shown with this query. */
export function rememberList(query: URLSearchParams): void {
  const place: ListPlace = { query: query.toString(), entry: currentEntry() };
  sessionStorage.setItem(storageKey(), JSON.stringify(place));
}

/** The list as it was left: with its filters, order, and page, and the entry of the history for the scroll position. */
export function listPlace(): { to: string; like?: string | undefined } {
  try {
    const { query, entry } = JSON.parse(sessionStorage.getItem(storageKey()) ?? "") as ListPlace;
    return { to: query === "" ? "/leads" : `/leads?${query}`, like: entry };
  } catch {
    return { to: "/leads" };
  }
}

/** Filters of one workspace, such as by its campaigns, find nothing in another. */
function storageKey(): string {
  return `outreachd.leads.${session.value?.workspace.id ?? ""}`;
}
