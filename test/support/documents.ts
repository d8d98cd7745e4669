import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dir, "../..");

/** Every document of the project by its path from the root. */
export const documents: ReadonlyMap<string, string> = new Map(
  [
    ...readdirSync(root).filter((name) => name.endsWith(".md")),
    ...readdirSync(join(root, "docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
    ...[...new Bun.Glob("src/**/README.md").scanSync(root)].map((path) => relative(root, join(root, path))),
  ].map((path) => [path, readFileSync(join(root, path), "utf8")]),
);

/** The front page and the pages behind it, as one text. */
export const documentation: string = [...documents]
  .filter(([path]) => path === "README.md" || path.startsWith("docs/"))
  .map(([, text]) => text)
  .join("\n");
