import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Place } from "../../../../features/privacy/place-model.ts";
import { places } from "../../../../features/privacy/places.ts";
import { idempotentRequests } from "../access-tables.ts";
import { campaignEnrollments } from "../campaign-tables.ts";
import { creditLedger } from "../credit-tables.ts";
import { prospects, importRows, savedSearches } from "../directory/tables.ts";
import { emailVerdicts, enrichmentItems, enrichmentResults } from "../enrichment-tables.ts";
import { conversations, messages, snippets } from "../inbox-tables.ts";
import { leadViews } from "../lead-view-tables.ts";
import { networkActions, networkContacts } from "../network-tables.ts";
import { events, jobs, leadImportNotes, leadImportRows, leads, suppressions } from "../tables.ts";
import { voiceClones, voiceSamples } from "../voice-tables.ts";
import { webhookDeliveries } from "../webhook-tables.ts";

/** A place of the register with its table. */
export type StoredPlace = Place & { definition: PgTable };

const definitions: readonly PgTable[] = [
  ...[conversations, messages, snippets],
  ...[campaignEnrollments, creditLedger, emailVerdicts, enrichmentItems, enrichmentResults, events, idempotentRequests],
  ...[importRows, jobs, leadImportNotes, leadImportRows, leads, networkActions, networkContacts, prospects],
  ...[leadViews, savedSearches, suppressions, voiceClones, voiceSamples, webhookDeliveries],
];

/** Where tables of this engine differ from the register. */
const differences: Readonly<Record<string, (place: Place) => Partial<Place>>> = {
  // Numbered for each workspace.
  prospects: () => ({
    key: ["owner", "number"],
    personal: ["content", "lead_id"],
    owner: { kind: "userNumber", column: "owner" },
    own: [{ column: "number", in: "prospectNumbers" }],
  }),
  answers: ({ others }) => ({
    key: ["id"],
    others: [...others.filter((column) => column !== "id"), "attempt", "is_encrypted", "node"],
  }),
  events: ({ others }) => ({ key: ["id"], others: [...others, "position"] }),
  // Words, derived from the texts.
  messages: ({ others }) => ({ others: [...others, "search"] }),
  conversations: ({ others }) => ({ others: [...others, "search"] }),
  credits: ({ others }) => ({ others: [...others, "seq"] }),
};

/** The register of personal data, as this engine stores it. */
export const storedPlaces: readonly StoredPlace[] = places.map((place) => {
  const definition = definitions.find((table) => getTableName(table) === place.table);
  if (definition === undefined) throw new Error(`Table ${place.table} has no definition`);
  return { ...place, ...differences[place.name]?.(place), definition };
});

/** A column by its name in the database. */
export function columnOf(place: StoredPlace, name: string): PgColumn {
  return getTableColumns(place.definition)[propertyOf(place, name)]!;
}

/** The name that drizzle has for a column. */
export function propertyOf({ definition, table }: StoredPlace, name: string): string {
  const found = Object.entries(getTableColumns(definition)).find(([, column]) => column.name === name);
  if (found === undefined) throw new Error(`Column ${table}.${name} has no definition`);
  return found[0];
}
