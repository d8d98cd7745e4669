import { pages, type Page } from "./pages.ts";
import { match, pathOf } from "./router.tsx";

type FoundPage = { page: Page; params: Record<string, string> };

/** The page at a path below /app, and the parameters in its path; null if there is none. */
export function pageAt(path: string): FoundPage | null {
  for (const page of pages) {
    const params = match(page.path, path);
    if (params !== null) return { page, params };
  }
  return null;
}

/** Starts to load the code of a page. If that fails, opening the page reports it. */
export function preloadPage(path: string): void {
  pageAt(path)
    ?.page.component.load()
    .catch(() => {});
}

/** Loads the code of a page when its link is hovered or focused, which is some 100 ms before it is opened. */
export function preloadOnIntent(): void {
  const preload = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link !== null && link.origin === location.origin) preloadPage(pathOf(link.pathname));
  };
  document.addEventListener("pointerover", preload, { passive: true });
  document.addEventListener("focusin", preload);
}
