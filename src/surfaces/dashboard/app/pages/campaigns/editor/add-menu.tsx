import { useLayoutEffect, useRef } from "preact/hooks";
import { actionLabels } from "../../../network.ts";
import type { Point } from "./flow-layout.ts";
import { fits } from "./program-edit.ts";
import { newStep, stepIcons, stepMenu, type StepKind } from "./step-kinds.ts";

type AddMenuProps = {
  /** Where it opens, in the frame. */
  at: Point;
  frame: { width: number; height: number };
  /** The list to which the step is added. */
  list: string;
  onChoose: (kind: StepKind) => void;
  onClose: (returnFocus: boolean) => void;
};

const size = { width: 224, height: 512 };

/** The kinds of steps that can be added. Arrow keys move, a letter goes to the next kind that starts with it. */
export function AddMenu({ at, frame, list, onChoose, onClose }: AddMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];

  useLayoutEffect(() => {
    items()[0]?.focus({ preventScroll: true });
    const away = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) onClose(false);
    };
    document.addEventListener("pointerdown", away, true);
    return () => document.removeEventListener("pointerdown", away, true);
  }, []);

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      return onClose(true);
    }
    const all = items();
    const current = all.indexOf(document.activeElement as HTMLElement);
    const byLetter = [...all.slice(current + 1), ...all.slice(0, current + 1)].find(
      (item) => event.key.length === 1 && item.textContent?.toLowerCase().startsWith(event.key.toLowerCase()),
    );
    const targets: Record<string, HTMLElement | undefined> = {
      ArrowDown: all[(current + 1) % all.length],
      ArrowUp: all.at(current - 1),
      Home: all[0],
      End: all.at(-1),
    };
    const next = targets[event.key] ?? byLetter;
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  }

  const left = Math.max(8, Math.min(at.x + 16, frame.width - size.width - 8));
  const top = Math.max(8, Math.min(at.y - 24, frame.height - Math.min(size.height, frame.height - 16) - 8));
  return (
    <div
      class="flow-menu"
      ref={menu}
      role="menu"
      aria-label="Add a step"
      style={{ left: `${left}px`, top: `${top}px` }}
      onKeyDown={onKeyDown}
    >
      {stepMenu.map(({ label, kinds }) => (
        <div key={label} role="group" aria-label={label}>
          <span class="flow-menu-label" aria-hidden="true">
            {label}
          </span>
          {kinds
            .filter((kind) => fits(newStep(kind), list))
            .map((kind) => (
              <button key={kind} type="button" role="menuitem" tabIndex={-1} onClick={() => onChoose(kind)}>
                <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
                  <path d={stepIcons[kind]} />
                </svg>
                {kindLabel(kind)}
              </button>
            ))}
        </div>
      ))}
    </div>
  );
}

function kindLabel(kind: StepKind): string {
  if (kind === "wait") return "Wait";
  return kind === "branch" ? "Branch" : actionLabels[kind].label;
}
