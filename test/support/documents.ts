import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** Every document of the project by its path from the root. */
export const documents: ReadonlyMap<string, string> = new Map(
  [
    ...readdirSync(root).filter((name) => name.endsWith(".md")),
    ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
    "src/surfaces/dashboard/README.md",
  ].map((path) => [path, readFileSync(join(root, path), "utf8")]),
);

/** The front page and the pages behind it, as one text. */
export const documentation: string = [...documents]
  .filter(([path]) => path === "README.md" || path.startsWith("docs/"))
  .map(([, text]) => text)
  .join("\n");
