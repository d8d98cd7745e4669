/** Where something may be stored about a person, as the register of the server names it. */
const placeWords: Record<string, string> = {
  leads: "Leads",
  prospects: "Prospects in the directory",
  enrichments: "Results of enrichment",
  emailVerdicts: "What verifiers say of the address",
  enrichmentItems: "Entries of enrichment jobs",
  contacts: "Notes on being connected and on messages",
  enrollments: "Places in campaigns",
  actions: "Actions on the network",
  leadImportRows: "Rows of reports on imported leads",
  leadImportNotes: "Notes of checked imports",
  prospectImportRows: "Rows of reports on imported prospects",
  jobs: "Jobs",
  savedSearches: "Saved searches",
  answers: "Kept answers to requests",
  voices: "Notes on voice clones",
  voiceSamples: "File names of recordings",
  events: "Events",
  deliveries: "Deliveries to webhooks",
  credits: "Lines of the credit account",
  suppressions: "Entries of the do-not-contact list",
};

export function placeInWords(place: string): string {
  return placeWords[place] ?? place;
}
