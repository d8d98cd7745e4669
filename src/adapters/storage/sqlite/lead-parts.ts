import type { Engine } from "./engine.ts";
import type { KeyIndex } from "../../../lib/key-index/key-index.ts";
import { createKeyIndex } from "./key-index.ts";
import { createLeadRows, type LeadRows } from "./lead-rows.ts";
import type { Owners } from "./owners.ts";
import { PhoneKeys } from "./phone-keys.ts";

export type LeadParts = { owners: Owners; keys: KeyIndex; phoneKeys: PhoneKeys; rows: LeadRows };

export function createLeadParts(engine: Engine, owners: Owners): LeadParts {
  const keys = createKeyIndex(engine, { table: "lead_keys", row: "lead" });
  const phoneKeys = new PhoneKeys(engine, keys);
  return { owners, keys, phoneKeys, rows: createLeadRows(engine, owners, keys, phoneKeys) };
}
