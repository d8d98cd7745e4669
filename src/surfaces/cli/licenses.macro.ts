import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs while the bundle is made (a Bun macro): the texts become part of the program. */
export function embedLicenses(): string {
  const root = join(import.meta.dir, "../../..");
  return ["LICENSE", "THIRD-PARTY-NOTICES.md"]
    .map((name) => readFileSync(join(root, name), "utf8").trim())
    .join("\n\n");
}
