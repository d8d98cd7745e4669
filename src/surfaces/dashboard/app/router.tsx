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

export function navigate(path: string, { replace = false }: { replace?: boolean } = {}): void {
  const url = urlOf(path);
  const before = here.value.path;
  if (replace) history.replaceState(history.state, "", url);
  else history.pushState(newEntry(), "", url);
  here.value = currentPlace();
  if (!replace && before !== here.value.path) entryPushed();
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
  entryReopened();
  here.value = currentPlace();
});

type LinkProps = {
  to: string;
  children: ComponentChildren;
  class?: string;
  title?: string;
  "aria-label"?: string;
  "aria-current"?: "page" | undefined;
};

/** A link within the dashboard. The browser handles new tabs and downloads. */
export function Link({ to, children, ...rest }: LinkProps) {
  function follow(event: MouseEvent) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate(to);
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
  return { path: pathOf(location.pathname), query: new URLSearchParams(location.search) };
}
