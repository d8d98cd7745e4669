import { posix } from "node:path";
import { embedSources } from "./sources.macro.ts" with { type: "macro" };

/** A document of the repository as a page. */
export type Document = {
  /** The page is at /docs/NAME, its Markdown at /docs/NAME.md. */
  name: string;
  title: string;
  /** What it is about, in a few words; empty if the README does not say. */
  summary: string;
  /** Guides are what the table of the README lists. */
  isGuide: boolean;
  /** Markdown with the links of the repository. */
  source: string;
  path: string;
};

/** README is the first page that one sees. */
const names: Record<string, string> = {
  "README.md": "guides",
  "examples/README.md": "examples",
  "clients/typescript/README.md": "typescript-client",
};
const titles: Record<string, string> = { "README.md": "Getting started" };

const sources = embedSources();

/** All documents: the README, the guides in the order of its table, and the others. */
export const documents: readonly Document[] = documentsOf(sources);

function documentsOf(found: typeof sources): Document[] {
  const rows = [...(found[0]?.text ?? "").matchAll(/^\| \[([^\]]+)\]\((docs\/[\w-]+\.md)\) \| (.+) \|$/gm)];
  const listed = rows.map(([, title = "", path = "", summary = ""]) => ({ title, path, summary }));
  const order = listed.map(({ path }) => path);
  const rank = (path: string) =>
    order.includes(path) ? order.indexOf(path) : path === "README.md" ? -1 : order.length;
  return found
    .toSorted((one, other) => rank(one.path) - rank(other.path))
    .map(({ path, text }) => {
      const row = listed.find((each) => each.path === path);
      return {
        name: names[path] ?? posix.basename(path, ".md").toLowerCase(),
        title: row?.title ?? titles[path] ?? /^# (.+)$/m.exec(text)?.[1] ?? path,
        summary: row === undefined ? "" : withoutLinks(row.summary),
        isGuide: row !== undefined,
        source: text,
        path,
      };
    });
}

export function documentNamed(name: string): Document | null {
  return documents.find((document) => document.name === name) ?? null;
}

/** Where a link of a document leads: to the page of another one, to an image, or to what is only in the repository. */
type Target = { document: Document } | { image: string } | null;

function targetOf(from: Document, link: string): Target {
  const path = posix.join(posix.dirname(from.path), link);
  const image = /^docs\/images\/([\w-]+\.png)$/.exec(path)?.[1];
  if (image !== undefined) return { image };
  const document = documents.find((each) => each.path === path);
  return document === undefined ? null : { document };
}

/**
 * The Markdown of a document with links for where it is served: pages at `urlOf(name)`, images at `imageUrl(name)`. Links
 * to files that are only in the repository become plain text.
 */
export function relinked(
  document: Document,
  urlOf: (name: string) => string,
  imageUrl: (name: string) => string,
): string {
  const resolve = (link: string): string | null => {
    if (/^(https?:|#|mailto:)/.test(link)) return link;
    const [path = "", anchor] = link.split("#");
    const target = targetOf(document, path);
    if (target === null) return null;
    if ("image" in target) return imageUrl(target.image);
    return urlOf(target.document.name) + (anchor === undefined ? "" : `#${anchor}`);
  };
  // Fenced code is left as it is: the odd parts between the fences.
  return document.source
    .split(/^(```[^]*?^```)$/m)
    .map((part, index) => (index % 2 === 1 ? part : relinkedText(part, resolve)))
    .join("");
}

function relinkedText(text: string, resolve: (link: string) => string | null): string {
  return text
    .replaceAll(/(!?\[(?:[^\]`]|`[^`]*`)*\])\(([^)\s]+)\)/g, (_, label: string, link: string) => {
      const url = resolve(link);
      return url === null ? label.slice(1, -1) : `${label}(${url})`;
    })
    .replaceAll(/\b(src|srcset)="([^"]+)"/g, (whole, name: string, link: string) => {
      const url = resolve(link);
      return url === null ? whole : `${name}="${url}"`;
    });
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}
