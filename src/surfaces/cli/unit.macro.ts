import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs during bundling (as a Bun macro), so that the unit becomes part of the program. */
export function embedUnit(): string {
  return readFileSync(join(import.meta.dir, "../../../deploy/systemd/outreachd.service"), "utf8");
}
