import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { entryPushed, entryReopened, newEntry } from "./scroll.ts";
import { basePath } from "./base-path.ts";

type Place = { path: string; query: URLSearchParams };

/** The current location: the path below /app ("/" for Home) and the query. */
export const here = signal<Place>(currentPlace());

/** The URL of a dashboard path. */
export function urlOf(path: string): string {
  return basePath + (path === "/" || path.startsWith("/?") ? path : `/app${path}`);
}

/**
 * Asks before the current place is left: `ask` returns whether to stay, and may call `proceed` later. Returns what removes
 * the guard. One page at a time has unsaved work.
 */
export function guardLeaving(ask: (proceed: () => void) => boolean): () => void {
  guard = ask;
  return () => {
    if (guard === ask) guard = null;
  };
}
let guard: ((proceed: () => void) => boolean) | null = null;

/** Whether leaving for a place was held up by a guard, which may continue with `proceed`. */
function isHeld(target: Place, proceed: () => void): boolean {
  const { path, query } = here.value;
  // Parameters other than the open part of the page keep what is shown.
  if (guard === null || (target.path === path && target.query.get("part") === query.get("part"))) return false;
  return guard(() => {
    guard = null;
    proceed();
  });
}

export type NavigateOptions = {
  /** Changes the current entry of the history instead of adding one. */
  replace?: boolean;
  /** An earlier entry that showed the same list: the page opens at the place where that one was left. */
  like?: string | undefined;
};

export function navigate(path: string, options: NavigateOptions = {}): void {
  const url = urlOf(path);
  if (!isHeld(placeOf(new URL(url, location.href)), () => go(url, options))) go(url, options);
}

function go(url: string, { replace = false, like }: NavigateOptions): void {
  const before = here.value.path;
  if (replace) history.replaceState(history.state, "", url);
  else history.pushState(newEntry(), "", url);
  here.value = currentPlace();
  if (replace) return;
  // Another part of the same page keeps its place; its whole list, such as from the menu, is shown from the top.
  const { path, query } = here.value;
  entryPushed({ isKept: path === before && query.size > 0, like });
}

/**
 * Changes parameters of the query, so that a reload or a shared link shows the same page. "" and null remove a
 * parameter.
 */
export function setQuery(changes: Record<string, string | null>): void {
  const query = new URLSearchParams(here.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  navigate(here.value.path + (text && `?${text}`), { replace: true });
}

addEventListener("popstate", () => {
  const target = location.href;
  const before = here.value;
  const query = before.query.toString();
  if (isHeld(currentPlace(), () => go(target, {}))) {
    // The browser has left already: the entry comes again, and the page stays.
    history.pushState(newEntry(), "", urlOf(before.path + (query && `?${query}`)));
    return;
  }
  entryReopened();
  here.value = currentPlace();
});

type LinkProps = {
  to: string;
  like?: string | undefined;
  children: ComponentChildren;
  class?: string;
  title?: string;
  "aria-label"?: string;
  "aria-current"?: "page" | undefined;
};

/** A link within the dashboard. The browser handles new tabs and downloads. */
export function Link({ to, like, children, ...rest }: LinkProps) {
  function follow(event: MouseEvent) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate(to, { like });
  }
  return (
    <a {...rest} href={urlOf(to)} onClick={follow}>
      {children}
    </a>
  );
}

/** Values of the parameters (":id") of a pattern in `path`; null if the path does not match. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const parts = path.split("/");
  if (wanted.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, name] of wanted.entries()) {
    const part = parts[index] ?? "";
    if (name.startsWith(":")) params[name.slice(1)] = decoded(part);
    else if (name !== part) return null;
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The path below /app of a URL's path. */
export function pathOf(pathname: string): string {
  const own = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
  return own.replace(/^\/app(?=\/|$)/, "").replace(/(.)\/+$/, "$1") || "/";
}

function currentPlace(): Place {
  return placeOf(location);
}

function placeOf({ pathname, search }: { pathname: string; search: string }): Place {
  return { path: pathOf(pathname), query: new URLSearchParams(search) };
}
