import { useState } from "preact/hooks";
import { currentEntry } from "./scroll.ts";

/** Enough for all pages that Back leads to in practice. */
const maxKept = 100;
const kept = new Map<string, unknown>();

/** State that Back finds again, such as the page of a list: one per `name` and entry of the browser's history. */
export function useEntryState<T>(name: string, initial: T): [state: T, setState: (state: T) => void] {
  const [key] = useState(() => `${currentEntry()} ${name}`);
  const [state, setState] = useState<T>(kept.has(key) ? (kept.get(key) as T) : initial);
  return [
    state,
    (next) => {
      kept.delete(key);
      kept.set(key, next);
      const [oldest = key] = kept.keys();
      if (kept.size > maxKept) kept.delete(oldest);
      setState(() => next);
    },
  ];
}
