/**
 * The document of every page is the same HTML, but names other scripts: those of the page, so that the browser loads them
 * together with the main script instead of after it.
 */
export const defaultDocument = "index.html";

/** Name of the asset that is the document of the page with this path pattern, such as "/leads/:id". */
export function documentName(pattern: string): string {
  return `${defaultDocument}${pattern}`;
}

/** Path patterns and modules of the pages, in the order in which they match. `source`: the text of app/pages.ts. */
export function pageModules(source: string): { pattern: string; module: string }[] {
  const found = [...source.matchAll(/path: "([^"]+)",[^}]*?import\("\.\/([^"]+)"\)/g)].map(
    ([, pattern = "", module = ""]) => ({ pattern, module }),
  );
  const expected = source.match(/lazyPage\(async/g)?.length ?? 0;
  if (found.length !== expected || expected === 0)
    throw new Error(`Expected ${expected} pages with a path and a module in pages.ts, found ${found.length}`);
  return found;
}

/** Name of the document for a URL path below the base path, of those that exist. */
export function documentAt(pathname: string, names: Iterable<string>): string {
  const path = pathname.replace(/^\/app(?=\/|$)/, "").replace(/(.)\/+$/, "$1") || "/";
  for (const name of names)
    if (name.startsWith(`${defaultDocument}/`) && isMatch(name.slice(defaultDocument.length), path)) return name;
  return defaultDocument;
}

function isMatch(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const parts = path.split("/");
  return wanted.length === parts.length && wanted.every((part, index) => part.startsWith(":") || part === parts[index]);
}
