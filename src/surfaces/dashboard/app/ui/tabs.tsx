import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

type Tab<Name extends string> = { name: Name; label: string; count?: number | undefined };

type TabsProps<Name extends string> = {
  label: string;
  tabs: readonly Tab<Name>[];
  chosen: Name;
  choose: (name: Name) => void;
  children: ComponentChildren;
};

/** Tabs with one panel (ARIA Authoring Practices): arrow keys move between tabs, Tab moves into the panel. */
export function Tabs<Name extends string>({ label, tabs, chosen, choose, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  // On a narrow screen, the tabs scroll: the chosen one is shown, without moving the page.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (list.current === null || !tab) return;
    const { left, right } = tab.getBoundingClientRect();
    const shown = list.current.getBoundingClientRect();
    if (left < shown.left) list.current.scrollLeft -= shown.left - left;
    else if (right > shown.right) list.current.scrollLeft += right - shown.right;
  }, [chosen]);

  function onKeyDown(event: KeyboardEvent) {
    const at = tabs.findIndex(({ name }) => name === chosen);
    const steps: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (step + tabs.length) % tabs.length;
    const tab = tabs[next];
    if (tab === undefined) return;
    choose(tab.name);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  }

  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name, label, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => choose(name)}
          >
            {label}
            {count !== undefined && <span class="tab-count">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
