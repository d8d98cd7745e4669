import { useEffect, useState } from "preact/hooks";
import type { Paging } from "./ui/data-table.tsx";

/**
 * Back and forth in a list whose pages follow each other by cursors. `cursor` is that of the page to ask for; when
 * `inputs` change, the list begins anew.
 */
export function useCursorPages(inputs: readonly unknown[]): {
  cursor: string | null;
  paging(next: string | null | undefined): Paging;
} {
  const [before, setBefore] = useState<readonly (string | null)[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  useEffect(() => {
    setBefore([]);
    setCursor(null);
  }, inputs);
  return {
    cursor,
    paging: (next) => ({
      hasPrevious: before.length > 0,
      hasNext: next !== null && next !== undefined,
      toPrevious: () => {
        setCursor(before.at(-1) ?? null);
        setBefore(before.slice(0, -1));
      },
      toNext: () => {
        setBefore([...before, cursor]);
        setCursor(next ?? null);
      },
    }),
  };
}
