import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** A dialog of the whole dashboard. */
export const openPanel = signal<"palette" | "help" | null>(null);

export type Shortcut = { keys: string; label: string };

/** Shortcuts of the current page, for the keyboard help. */
export const pageShortcuts = signal<{ title: string; shortcuts: readonly Shortcut[] } | null>(null);

/**
 * Whether a key is meant for the page: not in a field that takes letters, not while a dialog is open (which can lose the focus to the page
 * for a moment), and without a modifier key.
 */
export function isForPage({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  if (document.querySelector("dialog[open]") !== null) return false;
  return !(target as HTMLElement | null)?.closest(typing);
}

/** A checkbox that was just clicked has the focus, but no use for letters. */
const typing = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

/** How the key of commands is written on this computer. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘" : "Ctrl ";

/** Lists the shortcuts of a page in the keyboard help while it is mounted. */
export function useShortcutHelp(title: string, shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    pageShortcuts.value = { title, shortcuts };
    return () => {
      pageShortcuts.value = null;
    };
  }, [title]);
}
