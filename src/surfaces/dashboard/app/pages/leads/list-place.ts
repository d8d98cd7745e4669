import { here } from "../../router.tsx";

let last = "";

/** Call with the query of the list when it is left. */
export function leftList(query: URLSearchParams): void {
  if (here.value.path !== "/leads") last = query.toString();
}

/** The list as it was left, with its filters, order, and page. */
export function listPath(): string {
  return last === "" ? "/leads" : `/leads?${last}`;
}
