import type { Page } from "playwright-core";
import type { DashboardWorld } from "./dashboard-world.ts";

/** A page of the dashboard, with a dialog, menu, or part of it open. */
export type Scene = { name: string; path: string; open?: (page: Page) => Promise<unknown> };

const settingsParts = [
  ...["accounts", "suppression", "keys", "webhooks", "providers", "people", "workspace", "users", "audit"],
  ...["privacy", "backups", "nodes", "profile"],
];
const queueTabs = ["approval", "waiting", "unknown", "completed", "failed", "other", "canceled"];

/** Every page of app/pages.ts and the important dialogs. */
export function dashboardScenes(world: DashboardWorld): Scene[] {
  const { campaignId, draftId, leadId, importId, voiceId, accountId, endpointId } = world;
  return [
    { name: "home", path: "/" },
    { name: "home-palette", path: "/", open: openPalette },
    { name: "home-shortcuts", path: "/", open: openShortcuts },
    { name: "home-notifications", path: "/", open: press(/Notifications|notification/) },
    { name: "welcome", path: "/app/welcome" },
    { name: "inbox", path: "/app/inbox" },
    { name: "inbox-thread", path: "/app/inbox", open: openConversation },
    { name: "inbox-record", path: "/app/inbox", open: then(openConversation, menu("More", "Record a reply")) },
    { name: "inbox-block", path: "/app/inbox", open: then(openConversation, chooseDoNotContact) },
    { name: "inbox-snippets", path: "/app/inbox?snippets=open" },
    ...leadScenes(leadId),
    { name: "import", path: "/app/leads/import" },
    { name: "import-report", path: `/app/leads/import/${importId}` },
    { name: "duplicates", path: "/app/leads/duplicates" },
    { name: "queue", path: "/app/queue" },
    ...queueTabs.map((tab) => ({ name: `queue-${tab}`, path: `/app/queue?tab=${tab}` })),
    { name: "queue-selected", path: "/app/queue?tab=approval", open: selectAll },
    { name: "queue-edit", path: "/app/queue?tab=approval", open: press("Edit") },
    { name: "queue-cancel", path: "/app/queue?tab=approval", open: press("Cancel") },
    { name: "queue-resolve", path: "/app/queue?tab=unknown", open: press("Report outcome") },
    { name: "calendar", path: "/app/queue?view=calendar" },
    { name: "work", path: "/app/work" },
    { name: "work-failed", path: "/app/work", open: press(/^Failed/) },
    ...campaignScenes(campaignId, draftId),
    { name: "prospects", path: "/app/prospects" },
    { name: "prospects-details", path: "/app/prospects", open: openProspect },
    { name: "prospects-saved", path: "/app/prospects", open: press("Saved searches") },
    { name: "prospects-import", path: "/app/prospects", open: press("Import prospects") },
    { name: "enrichment", path: "/app/enrichment" },
    { name: "enrichment-lead", path: `/app/enrichment?lead=${leadId}` },
    { name: "voice", path: "/app/voice" },
    { name: "voice-new", path: "/app/voice/new" },
    { name: "voice-details", path: `/app/voice/${voiceId}` },
    { name: "voice-samples", path: `/app/voice/${voiceId}`, open: press(/Add recordings/) },
    ...settingsParts.map((part) => ({ name: `settings-${part}`, path: `/app/settings?part=${part}` })),
    ...settingsDialogs,
    { name: "account", path: `/app/settings/accounts/${accountId}` },
    { name: "webhook", path: `/app/settings/webhooks/${endpointId}` },
    { name: "webhook-replay", path: `/app/settings/webhooks/${endpointId}`, open: press("Redeliver…") },
    { name: "webhook-rotate", path: `/app/settings/webhooks/${endpointId}`, open: press("Rotate secret…") },
    { name: "webhook-delivery", path: `/app/settings/webhooks/${endpointId}`, open: press("webhook.test") },
    { name: "not-found", path: "/app/nowhere" },
  ];
}

const leadScenes = (leadId: string): Scene[] => [
  { name: "leads", path: "/app/leads" },
  { name: "leads-filtered", path: "/app/leads?companyContains=helio&tag=spring" },
  { name: "leads-empty", path: "/app/leads?q=zzzz" },
  { name: "leads-filters", path: "/app/leads", open: press("Filter") },
  { name: "leads-columns", path: "/app/leads", open: press("Columns") },
  { name: "leads-new", path: "/app/leads", open: press("New lead") },
  { name: "leads-selected", path: "/app/leads", open: selectAll },
  { name: "leads-schedule", path: "/app/leads", open: then(selectAll, press("Schedule…")) },
  { name: "leads-enroll", path: "/app/leads", open: then(selectAll, press("Enroll…")) },
  { name: "leads-tag", path: "/app/leads", open: then(selectAll, press("Add tag")) },
  { name: "leads-assign", path: "/app/leads", open: then(selectAll, menu("More", "Assign…")) },
  { name: "leads-delete", path: "/app/leads", open: then(selectAll, press("Delete")) },
  { name: "lead", path: `/app/leads/${leadId}` },
  { name: "lead-edit", path: `/app/leads/${leadId}`, open: press("Edit") },
  { name: "lead-menu", path: `/app/leads/${leadId}`, open: press("More") },
  { name: "lead-schedule", path: `/app/leads/${leadId}`, open: press("Schedule…") },
  ...["Enrich company…", "Merge with another lead…", "Export this person…", "Erase this person…", "Delete…"].map(
    (entry) => ({
      name: `lead-${entry.split(" ")[0]!.toLowerCase().replace("…", "")}`,
      path: `/app/leads/${leadId}`,
      open: menu("More", entry),
    }),
  ),
];

const campaignScenes = (campaignId: string, draftId: string): Scene[] => [
  { name: "campaigns", path: "/app/campaigns" },
  { name: "campaigns-compare", path: "/app/campaigns/compare" },
  { name: "campaign-new", path: "/app/campaigns/new" },
  { name: "campaign-editor", path: "/app/campaigns/new", open: press(/^Connect and follow up/) },
  { name: "campaign", path: `/app/campaigns/${campaignId}` },
  { name: "campaign-insight", path: `/app/campaigns/${campaignId}?part=insight` },
  { name: "campaign-steps", path: `/app/campaigns/${campaignId}?part=steps` },
  { name: "campaign-preview", path: `/app/campaigns/${campaignId}?part=preview` },
  { name: "campaign-enroll", path: `/app/campaigns/${campaignId}`, open: press("Enroll leads") },
  { name: "campaign-cancel", path: `/app/campaigns/${campaignId}`, open: press("Cancel…") },
  { name: "draft", path: `/app/campaigns/${draftId}?part=steps` },
  { name: "draft-add", path: `/app/campaigns/${draftId}?part=steps`, open: press("Add a step after step 2") },
  { name: "draft-step", path: `/app/campaigns/${draftId}?part=steps`, open: press(/^Step 3/) },
  { name: "draft-branch", path: `/app/campaigns/${draftId}?part=steps`, open: press(/^Step 4/) },
  { name: "draft-start", path: `/app/campaigns/${draftId}`, open: press("Start") },
];

const settingsDialogs: Scene[] = [
  { name: "settings-account-add", path: "/app/settings?part=accounts", open: press("Add account") },
  { name: "settings-suppression-add", path: "/app/settings?part=suppression", open: press("Add") },
  { name: "settings-suppression-check", path: "/app/settings?part=suppression", open: press("Check a person") },
  { name: "settings-suppression-entry", path: "/app/settings?part=suppression", open: press("example.org") },
  { name: "settings-key-new", path: "/app/settings?part=keys", open: press("Create key") },
  { name: "settings-key-edit", path: "/app/settings?part=keys", open: press("CRM synchronization") },
  { name: "settings-webhook-add", path: "/app/settings?part=webhooks", open: press("Add endpoint") },
  { name: "settings-provider-test", path: "/app/settings?part=providers", open: press("Test local") },
  { name: "settings-invite", path: "/app/settings?part=people", open: press("Invite") },
  { name: "settings-user-add", path: "/app/settings?part=users", open: press("Add user") },
  { name: "settings-user-edit", path: "/app/settings?part=users", open: press("Martin Vogel") },
  { name: "settings-audit-entry", path: "/app/settings?part=audit", open: openAuditEntry },
  { name: "settings-audit-verify", path: "/app/settings?part=audit", open: press("Verify") },
];

function press(name: string | RegExp) {
  return (page: Page) => page.getByRole("button", { name, exact: true }).first().click();
}

function menu(label: string, entry: string) {
  return async (page: Page) => {
    await page.getByRole("button", { name: label, exact: true }).last().click();
    await page.getByRole("button", { name: entry, exact: true }).click();
  };
}

function then(first: (page: Page) => Promise<unknown>, second: (page: Page) => Promise<unknown>) {
  return async (page: Page) => {
    await first(page);
    await second(page);
  };
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search pages" }).fill("a");
  await page.getByRole("option", { name: "API reference" }).waitFor();
}

async function openShortcuts(page: Page): Promise<void> {
  await page.locator("main h1").focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
}

async function openConversation(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Conversations" }).getByRole("listitem").first().getByRole("button").click();
  await page.getByRole("log").waitFor();
}

async function chooseDoNotContact(page: Page): Promise<void> {
  await page.locator(".thread-head").getByLabel("Label").selectOption({ label: "Do not contact" });
}

async function selectAll(page: Page): Promise<void> {
  await page
    .getByRole("checkbox", { name: /^Select all/ })
    .first()
    .check();
}

async function openProspect(page: Page): Promise<void> {
  await page.locator("main tbody").getByRole("button").first().click();
}

async function openAuditEntry(page: Page): Promise<void> {
  await page.locator("main tbody").getByRole("button").first().click();
}
