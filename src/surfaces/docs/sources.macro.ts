import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const others = ["CHANGELOG.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/**
 * The documents with their paths in the repository, README first. Runs during bundling (as a Bun macro), so that the texts
 * become part of the program.
 */
export function embedSources(): { path: string; text: string }[] {
  const root = join(import.meta.dir, "../../..");
  const guides = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const packages = ["examples/README.md", "clients/typescript/README.md"];
  return ["README.md", ...guides.toSorted().map((name) => `docs/${name}`), ...packages, ...others].map((path) => ({
    path,
    text: readFileSync(join(root, path), "utf8"),
  }));
}
