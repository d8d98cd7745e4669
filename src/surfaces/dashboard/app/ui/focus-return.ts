const focusable =
  "a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary, [tabindex]:not([tabindex='-1'])";

/**
 * Returns a function that gives the focus back to the element that has it now, or that was clicked last. Call it when a
 * dialog opens. If the element is gone by then, such as an entry of a menu that closed or the row that was deleted, the
 * nearest place around it that is left gets the focus: the button of the menu, the table, and at last the heading.
 */
export function focusReturn(): () => void {
  const chain = opener;
  return () => {
    const active = document.activeElement;
    // Something else has taken the focus on purpose, such as the next dialog or a page.
    if (active !== null && active !== document.body && active.isConnected && isShown(active)) return;
    (nearestIn(chain) ?? document.querySelector<HTMLElement>("h1"))?.focus();
  };
}

/** The element that had the focus or was clicked last, and all around it, as they were then. */
let opener: HTMLElement[] = [];

function remember({ target }: Event): void {
  const place = target instanceof Element ? target.closest<HTMLElement>(focusable) : null;
  if (place === null || place.matches("dialog")) return;
  opener = [];
  for (let element: HTMLElement | null = place; element !== null; element = element.parentElement) opener.push(element);
}

/** The nearest place that can take the focus. What is around may be hidden by then, such as the menu of an entry. */
function nearestIn(chain: readonly HTMLElement[]): HTMLElement | undefined {
  for (const place of chain) {
    if (place.matches("main, .page, #app, body")) return undefined;
    if (!place.isConnected) continue;
    if (place.matches(focusable) && isShown(place)) return place;
    const inside = [...place.querySelectorAll<HTMLElement>(focusable)].find(isShown);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function isShown(element: Element): boolean {
  return element.getClientRects().length > 0 || element.matches("dialog");
}

document.addEventListener("focusin", remember);
// Safari does not focus a button that is clicked.
document.addEventListener("pointerdown", remember);
