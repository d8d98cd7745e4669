import type { Lead } from "../../leads/model.ts";
import type { leads } from "./tables.ts";

/** The lead in a row of the table, without the columns that only the engine needs. */
export function leadOf(row: typeof leads.$inferSelect): Lead {
  const { emailKey: _email, networkKey: _network, nameKey: _name, ...lead } = row;
  return lead;
}
