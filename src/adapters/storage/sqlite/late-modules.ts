import type * as Campaigns from "./campaigns.ts";
import type * as Credits from "./credits.ts";
import type * as DirectoryLinks from "./directory/directory-links.ts";
import type * as Enrichment from "./enrichment.ts";
import type * as Jobs from "./jobs.ts";
import type * as Network from "./network.ts";
import type * as NetworkAccounts from "./network-accounts.ts";
import type * as PersonStore from "./privacy/person-store.ts";
import type * as Prospects from "./directory/prospects.ts";
import type * as SavedSearches from "./directory/saved-searches.ts";
import type * as Voices from "./voices.ts";
import type * as Webhooks from "./webhooks.ts";

// Only `require` loads a module in the middle of synchronous work.
/* oxlint-disable no-require-imports */

/**
 * Modules of stores that a start and most requests need nothing of, each loaded with the first use of the store: to
 * define their tables for drizzle is a twentieth of a start.
 */
export const modules = {
  get campaigns() {
    return require("./campaigns.ts") as typeof Campaigns;
  },
  get credits() {
    return require("./credits.ts") as typeof Credits;
  },
  get directoryLinks() {
    return require("./directory/directory-links.ts") as typeof DirectoryLinks;
  },
  get enrichment() {
    return require("./enrichment.ts") as typeof Enrichment;
  },
  get jobs() {
    return require("./jobs.ts") as typeof Jobs;
  },
  get network() {
    return require("./network.ts") as typeof Network;
  },
  get networkAccounts() {
    return require("./network-accounts.ts") as typeof NetworkAccounts;
  },
  get personStore() {
    return require("./privacy/person-store.ts") as typeof PersonStore;
  },
  get prospects() {
    return require("./directory/prospects.ts") as typeof Prospects;
  },
  get savedSearches() {
    return require("./directory/saved-searches.ts") as typeof SavedSearches;
  },
  get voices() {
    return require("./voices.ts") as typeof Voices;
  },
  get webhooks() {
    return require("./webhooks.ts") as typeof Webhooks;
  },
};
