import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs during bundling (as a Bun macro), so that the texts become part of the program. */
export function embedLicenses(): string {
  const root = join(import.meta.dir, "../../..");
  return ["LICENSE", "THIRD-PARTY-NOTICES.md"]
    .map((name) => readFileSync(join(root, name), "utf8").trim())
    .join("\n\n");
}
