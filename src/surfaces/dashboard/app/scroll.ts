/**
 * Scroll positions by entry of the browser's history. The browser restores a position as soon as one goes back, when the
 * list is not loaded yet and the page is too short; this waits until it is long enough.
 */
const storageKey = "outreachd.scroll";
const maxStored = 50;
const positions = new Map<string, number>(stored());
/** A list that takes longer to load is not waited for. */
const patienceMs = 5000;

let key = keyOf(history.state);
let stopRestoring: (() => void) | null = null;

/** The state to push with a new entry of the history. */
export function newEntry(): { key: string } {
  return { key: crypto.randomUUID() };
}

/** The entry of the history that is shown. */
export function currentEntry(): string {
  return key;
}

type Start = {
  /** The page stays where it is. */
  isKept?: boolean;
  /** An earlier entry that showed the same: the page starts where that one was left. */
  like?: string | undefined;
};

/** Call after an entry was pushed: it starts at the top unless `start` says otherwise. */
export function entryPushed({ isKept = false, like }: Start = {}): void {
  stopRestoring?.();
  const before = positions.get(key) ?? 0;
  key = keyOf(history.state);
  if (isKept) positions.set(key, before);
  else scrollTo(0, 0);
  const top = like === undefined ? undefined : positions.get(like);
  if (top !== undefined) restore(top);
}

/** Call when the user went back or forward, before the page is rendered. */
export function entryReopened(): void {
  stopRestoring?.();
  key = keyOf(history.state);
  restore(positions.get(key) ?? 0);
}

/** Scrolls to `top` as soon as the page is long enough, unless the user scrolls or types first. */
function restore(top: number): void {
  const given = ["wheel", "touchmove", "keydown", "pointerdown"];
  const sizes = new ResizeObserver(attempt);
  const timer = setTimeout(stop, patienceMs);
  function attempt(): void {
    if (document.documentElement.scrollHeight - innerHeight < top) return;
    scrollTo(0, top);
    stop();
  }
  function stop(): void {
    sizes.disconnect();
    clearTimeout(timer);
    for (const type of given) removeEventListener(type, stop);
    stopRestoring = null;
  }
  stopRestoring = stop;
  for (const type of given) addEventListener(type, stop, { passive: true });
  // Reports the size at once, after the new page is rendered, and each change of it.
  sizes.observe(document.body);
}

/** Starts to remember positions. */
export function rememberScroll(): void {
  history.scrollRestoration = "manual";
  addEventListener(
    "scroll",
    () => {
      // A page that is being replaced is shorter for a moment, which is not what the user scrolled to.
      if (stopRestoring === null) positions.set(key, scrollY);
    },
    { passive: true },
  );
  addEventListener("pagehide", () => {
    sessionStorage.setItem(storageKey, JSON.stringify([...positions].slice(-maxStored)));
  });
  restore(positions.get(key) ?? 0);
}

function stored(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "[]") as [string, number][];
  } catch {
    return [];
  }
}

function keyOf(state: unknown): string {
  const found = (state as { key?: unknown } | null)?.key;
  return typeof found === "string" ? found : "first";
}
