import { useLayoutEffect, useRef } from "preact/hooks";

/** The element around a button and what it opens. Closes on Escape, on a click outside, and when the focus leaves. */
export function usePopover(onClose: () => void, isOpen: boolean) {
  const place = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  // Not after the next frame: keys that follow the one that opened it are for what it contains.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const element = place.current;
    const away = (event: Event) => {
      const target = event.target as Node;
      // What was clicked may be gone by now, such as the button that removes a value.
      if (target.isConnected && !element?.contains(target)) close.current();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      close.current();
      element?.querySelector("button")?.focus();
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    element?.addEventListener("keydown", onKeyDown);
    element?.querySelector<HTMLElement>(".popover [autofocus]")?.focus();
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
      element?.removeEventListener("keydown", onKeyDown);
    };
  }, [isOpen]);
  return place;
}
