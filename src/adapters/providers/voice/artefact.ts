import type { Static, TSchema } from "@sinclair/typebox";
import { shaped } from "./vendor.ts";

/**
 * Reads the artifact that an engine with this schema created in `train`. Throws for anything else: the clone then
 * belongs to another engine.
 */
export function artefactOf<T extends TSchema>(schema: T, artefact: string): Static<T> {
  const found = shaped(schema, JSON.parse(artefact));
  if (found === null) throw new Error(`Expected an artifact of this engine, got ${artefact.slice(0, 80)}`);
  return found;
}
