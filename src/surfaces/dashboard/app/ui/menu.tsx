import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import type { IconName } from "./icons.tsx";

type MenuProps = { label: string; icon?: IconName; children: ComponentChildren };

/** A button that opens a list of links or buttons. Escape, a click outside, or a selection closes it. */
export function Menu({ label, icon, children }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!isOpen) return undefined;
    const away = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setIsOpen(false);
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
    };
  }, [isOpen]);

  return (
    <div
      class="menu"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        setIsOpen(false);
        place.current?.querySelector("button")?.focus();
      }}
    >
      <Button {...(icon && { icon })} aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
        {label}
      </Button>
      <div id={id} class="menu-items" hidden={!isOpen} onClick={() => setIsOpen(false)}>
        {isOpen && children}
      </div>
    </div>
  );
}
