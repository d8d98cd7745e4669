import type { Engine } from "./engine.ts";
import { HashIndex } from "./hash-index.ts";
import { createLeadRows, type LeadRows } from "./lead-rows.ts";
import { createOwners, type Owners } from "./owners.ts";
import { PhoneKeys } from "./phone-keys.ts";

export type LeadParts = { owners: Owners; keys: HashIndex; phoneKeys: PhoneKeys; rows: LeadRows };

const byEngine = new WeakMap<Engine, LeadParts>();

/** Shared by all stores of an engine, because the keys of leads are also in memory. */
export function createLeadParts(engine: Engine): LeadParts {
  const known = byEngine.get(engine);
  if (known !== undefined) return known;
  const owners = createOwners(engine);
  const keys = new HashIndex(engine, { table: "lead_keys", row: "lead" });
  const phoneKeys = new PhoneKeys(engine, keys);
  const parts = { owners, keys, phoneKeys, rows: createLeadRows(engine, owners, keys, phoneKeys) };
  byEngine.set(engine, parts);
  return parts;
}
