import { useState } from "preact/hooks";
import type { Paging } from "./ui/data-table.tsx";

type Place = { list: string; cursor: string | null; before: readonly (string | null)[] };

/**
 * Back and forth in a list whose pages follow each other by cursors. `cursor` is that of the page to ask for; when
 * `inputs` change, the list begins anew.
 */
export function useCursorPages(inputs: readonly (string | null)[]): {
  cursor: string | null;
  paging(next: string | null | undefined): Paging;
} {
  const list = JSON.stringify(inputs);
  const [kept, setPlace] = useState<Place>({ list, cursor: null, before: [] });
  // A cursor goes with the filters that it came from, so it must not outlive them for even one request.
  const { cursor, before } = kept.list === list ? kept : { cursor: null, before: [] };
  return {
    cursor,
    paging: (next = null) => ({
      hasPrevious: before.length > 0,
      hasNext: next !== null,
      toPrevious: () => setPlace({ list, cursor: before.at(-1) ?? null, before: before.slice(0, -1) }),
      toNext: () => setPlace({ list, cursor: next, before: [...before, cursor] }),
    }),
  };
}
