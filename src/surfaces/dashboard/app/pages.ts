import type { Permission } from "../../../platform/auth/key-model.ts";
import { lazyPage, type LazyPage } from "./lazy-page.ts";
import type { IconName } from "./ui/icons.tsx";

export type Page = {
  /** Path below /app. ":name" is a parameter, passed to the page in `params`. The first matching page is shown. */
  path: string;
  /** Title of the browser tab and of the menu entry. */
  title: string;
  /** Pages with an icon are listed in the menu, in this order. */
  icon?: IconName;
  /**
   * Required permission; null if all users may open the page. Without it, the page shows a message and sends no
   * request.
   */
  permission: Permission | null;
  component: LazyPage;
};

/** Every page has a file in pages/ and a line here. */
export const pages: readonly Page[] = [
  {
    path: "/",
    title: "Home",
    icon: "home",
    permission: null,
    component: lazyPage(async () => (await import("./pages/home/home-page.tsx")).HomePage),
  },
  {
    path: "/welcome",
    title: "Welcome",
    permission: null,
    component: lazyPage(async () => (await import("./pages/welcome/welcome-page.tsx")).WelcomePage),
  },
  {
    path: "/inbox",
    title: "Inbox",
    icon: "inbox",
    permission: "network:read",
    component: lazyPage(async () => (await import("./pages/inbox/inbox-page.tsx")).InboxPage),
  },
  {
    path: "/leads",
    title: "Leads",
    icon: "leads",
    permission: "leads:read",
    component: lazyPage(async () => (await import("./pages/leads/lead-list.tsx")).LeadsPage),
  },
  {
    path: "/leads/import",
    title: "Import leads",
    permission: "leads:write",
    component: lazyPage(async () => (await import("./pages/import/import-page.tsx")).ImportPage),
  },
  {
    path: "/leads/import/:jobId",
    title: "Import report",
    permission: "leads:read",
    component: lazyPage(async () => (await import("./pages/import/import-page.tsx")).ImportReportPage),
  },
  {
    path: "/leads/duplicates",
    title: "Duplicates",
    permission: "leads:read",
    component: lazyPage(async () => (await import("./pages/leads/duplicates-page.tsx")).DuplicatesPage),
  },
  {
    path: "/leads/:id",
    title: "Lead",
    permission: "leads:read",
    component: lazyPage(async () => (await import("./pages/leads/lead-detail.tsx")).LeadPage),
  },
  {
    path: "/queue",
    title: "Queue",
    icon: "queue",
    permission: "network:read",
    component: lazyPage(async () => (await import("./pages/queue/queue-page.tsx")).QueuePage),
  },
  {
    path: "/work",
    title: "Work list",
    icon: "work",
    permission: "network:read",
    component: lazyPage(async () => (await import("./pages/queue/work-page.tsx")).WorkPage),
  },
  {
    path: "/campaigns",
    title: "Campaigns",
    icon: "campaigns",
    permission: "network:read",
    component: lazyPage(async () => (await import("./pages/campaigns/campaign-list.tsx")).CampaignsPage),
  },
  {
    path: "/campaigns/compare",
    title: "Compare campaigns",
    permission: "network:read",
    component: lazyPage(async () => (await import("./pages/campaigns/insight/compare-page.tsx")).ComparePage),
  },
  {
    path: "/campaigns/new",
    title: "New campaign",
    permission: "network:schedule",
    component: lazyPage(async () => (await import("./pages/campaigns/campaign-page.tsx")).NewCampaignPage),
  },
  {
    path: "/campaigns/:id",
    title: "Campaign",
    permission: "network:read",
    component: lazyPage(async () => (await import("./pages/campaigns/campaign-page.tsx")).CampaignPage),
  },
  {
    path: "/prospects",
    title: "Prospects",
    icon: "prospects",
    permission: "prospecting:search",
    component: lazyPage(async () => (await import("./pages/prospects/prospects-page.tsx")).ProspectsPage),
  },
  {
    path: "/enrichment",
    title: "Enrichment",
    icon: "enrichment",
    permission: "leads:enrich",
    component: lazyPage(async () => (await import("./pages/enrichment/enrichment-page.tsx")).EnrichmentPage),
  },
  {
    path: "/voice",
    title: "Voice",
    icon: "voice",
    permission: "voice:read",
    component: lazyPage(async () => (await import("./pages/voice/voice-list.tsx")).VoicesPage),
  },
  {
    path: "/voice/new",
    title: "Clone a voice",
    permission: "voice:create",
    component: lazyPage(async () => (await import("./pages/voice/new-voice.tsx")).NewVoicePage),
  },
  {
    path: "/voice/:id",
    title: "Voice",
    permission: "voice:read",
    component: lazyPage(async () => (await import("./pages/voice/voice-page.tsx")).VoicePage),
  },
  {
    path: "/settings",
    title: "Settings",
    icon: "settings",
    permission: null,
    component: lazyPage(async () => (await import("./pages/settings/settings.tsx")).SettingsPage),
  },
  {
    path: "/settings/accounts/:id",
    title: "Account",
    permission: "network:read",
    component: lazyPage(async () => (await import("./pages/settings/account.tsx")).AccountPage),
  },
  {
    path: "/settings/webhooks/:id",
    title: "Webhook",
    permission: "webhooks:read",
    component: lazyPage(async () => (await import("./pages/settings/webhook.tsx")).WebhookPage),
  },
];
