import type { Engine } from "./engine.ts";
import { HashIndex } from "../../../lib/key-index/key-index.ts";
import { createLeadRows, type LeadRows } from "./lead-rows.ts";
import type { Owners } from "./owners.ts";
import { PhoneKeys } from "./phone-keys.ts";

export type LeadParts = { owners: Owners; keys: HashIndex; phoneKeys: PhoneKeys; rows: LeadRows };

export function createLeadParts(engine: Engine, owners: Owners): LeadParts {
  const keys = new HashIndex(engine, { table: "lead_keys", row: "lead" });
  const phoneKeys = new PhoneKeys(engine, keys);
  return { owners, keys, phoneKeys, rows: createLeadRows(engine, owners, keys, phoneKeys) };
}
