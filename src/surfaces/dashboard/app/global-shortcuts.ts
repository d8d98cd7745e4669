import { useEffect, useRef } from "preact/hooks";
import { pages } from "./pages.ts";
import { navigate } from "./router.tsx";
import { can } from "./session.ts";
import { isForPage, openPanel } from "./shortcuts.ts";
import { undoLatest } from "./ui/toast.tsx";

/** Keys that open a page after G. */
export const goTo: Readonly<Record<string, string>> = {
  h: "/",
  i: "/inbox",
  l: "/leads",
  q: "/queue",
  w: "/work",
  c: "/campaigns",
  p: "/prospects",
  e: "/enrichment",
  v: "/voice",
  s: "/settings",
};

/** The pages that this user can open with G and another key. */
export function goToPages(): { key: string; path: string; title: string }[] {
  return Object.entries(goTo).flatMap(([key, path]) => {
    const page = pages.find((one) => one.path === path && can(one.permission));
    return page === undefined ? [] : [{ key, path, title: page.title }];
  });
}

/** How long G waits for the second key. */
const sequenceMs = 1200;

/** The shortcuts of the whole dashboard, while the component is mounted. */
export function useGlobalShortcuts(): void {
  const startedAt = useRef<number | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat) return;
      const key = event.key.toLowerCase();
      if (key === "k" && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        openPanel.value = openPanel.value === "palette" ? null : "palette";
        return;
      }
      if (!isForPage(event)) return;
      const isSequence = startedAt.current !== null && event.timeStamp - startedAt.current < sequenceMs;
      startedAt.current = key === "g" && !isSequence ? event.timeStamp : null;
      if (isSequence) {
        const page = goToPages().find((one) => one.key === key);
        if (page === undefined) return;
        // The page must not take the key for one of its own.
        event.preventDefault();
        event.stopImmediatePropagation();
        return navigate(page.path);
      }
      if (event.key === "?") openPanel.value = "help";
      else if (event.key === "/") focusSearch(event);
      else if (key === "z" && undoLatest()) event.preventDefault();
    };
    // Before the shortcuts of the page.
    document.addEventListener("keydown", press, { capture: true });
    return () => document.removeEventListener("keydown", press, { capture: true });
  }, []);
}

/** Focuses the search field of the page; without one, opens the palette. */
function focusSearch(event: KeyboardEvent): void {
  event.preventDefault();
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field === null) openPanel.value = "palette";
  else field.focus();
}
