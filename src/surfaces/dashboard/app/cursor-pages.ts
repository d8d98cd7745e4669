import { useEntryState } from "./entry-state.ts";
import type { Paging } from "./ui/data-table.tsx";

type Place = { list: string; cursor: string | null; before: readonly (string | null)[] };

/**
 * Moves back and forth in the list `name` with cursor pagination. `cursor` belongs to the page to load. When `inputs` change,
 * the list restarts at the first page; Back returns to the page that was left.
 */
export function useCursorPages(
  name: string,
  inputs: readonly (string | null)[],
): {
  cursor: string | null;
  paging(next: string | null | undefined): Paging;
} {
  const list = JSON.stringify(inputs);
  const [kept, setPlace] = useEntryState<Place>(name, { list, cursor: null, before: [] });
  // A cursor is valid only for the filters it was created with, so it is dropped in the same render as they are.
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
