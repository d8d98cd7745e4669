/** Labels of the places where the server stores data about people. */
const placeLabels: Record<string, string> = {
  leads: "Leads",
  prospects: "Prospects",
  enrichments: "Enrichment results",
  emailVerdicts: "Email verification results",
  enrichmentItems: "Enrichment job entries",
  contacts: "Connection and message history",
  messages: "Messages",
  conversations: "Conversations",
  enrollments: "Campaign enrollments",
  actions: "Network actions",
  leadImportRows: "Rows of lead import reports",
  leadImportNotes: "Notes of dry-run imports",
  prospectImportRows: "Rows of prospect import reports",
  jobs: "Jobs",
  savedSearches: "Saved searches",
  leadViews: "Saved views of leads",
  answers: "Stored responses to requests",
  voices: "Descriptions of voices",
  voiceSamples: "File names of recordings",
  events: "Events",
  deliveries: "Webhook deliveries",
  credits: "Credit transactions",
  suppressions: "Do-not-contact list entries",
};

export function placeLabel(place: string): string {
  return placeLabels[place] ?? place;
}
