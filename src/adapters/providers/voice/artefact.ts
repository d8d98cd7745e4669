import type { Static, TSchema } from "@sinclair/typebox";
import { shaped } from "./vendor.ts";

/** Reads what an engine of this shape made in `train`. Throws for anything else: then the clone is another engine's. */
export function artefactOf<T extends TSchema>(schema: T, artefact: string): Static<T> {
  const found = shaped(schema, JSON.parse(artefact));
  if (found === null) throw new Error(`Expected an artefact of this engine, got ${artefact.slice(0, 80)}`);
  return found;
}
