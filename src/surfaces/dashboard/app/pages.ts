import type { ComponentType } from "preact";
import type { Permission } from "../../../platform/auth/key-model.ts";
import type { IconName } from "./ui/icons.tsx";
import { HomePage } from "./pages/home/home-page.tsx";
import { ImportPage } from "./pages/import/import-page.tsx";
import { LeadPage } from "./pages/leads/lead-detail.tsx";
import { LeadsPage } from "./pages/leads/lead-list.tsx";
import { QueuePage } from "./pages/queue/queue-page.tsx";
import { WorkPage } from "./pages/queue/work-page.tsx";
import { WelcomePage } from "./pages/welcome/welcome-page.tsx";
import { CampaignsPage } from "./pages/campaigns/campaign-list.tsx";
import { CampaignPage, NewCampaignPage } from "./pages/campaigns/campaign-page.tsx";
import { EnrichmentPage } from "./pages/enrichment/enrichment-page.tsx";
import { ProspectsPage } from "./pages/prospects/prospects-page.tsx";
import { AccountPage } from "./pages/settings/account.tsx";
import { SettingsPage } from "./pages/settings/settings.tsx";
import { WebhookPage } from "./pages/settings/webhook.tsx";
import { NewVoicePage } from "./pages/voice/new-voice.tsx";
import { VoicesPage } from "./pages/voice/voice-list.tsx";
import { VoicePage } from "./pages/voice/voice-page.tsx";
import type { PageProps } from "./page-props.ts";

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
  component: ComponentType<PageProps>;
};

/** Every page has a file in pages/ and a line here. */
export const pages: readonly Page[] = [
  { path: "/", title: "Home", icon: "home", permission: null, component: HomePage },
  { path: "/welcome", title: "Welcome", permission: null, component: WelcomePage },
  { path: "/leads", title: "Leads", icon: "leads", permission: "leads:read", component: LeadsPage },
  { path: "/leads/import", title: "Import leads", permission: "leads:write", component: ImportPage },
  { path: "/leads/:id", title: "Lead", permission: "leads:read", component: LeadPage },
  { path: "/queue", title: "Queue", icon: "queue", permission: "network:read", component: QueuePage },
  { path: "/work", title: "Work list", icon: "work", permission: "network:read", component: WorkPage },
  { path: "/campaigns", title: "Campaigns", icon: "campaigns", permission: "network:read", component: CampaignsPage },
  { path: "/campaigns/new", title: "New campaign", permission: "network:schedule", component: NewCampaignPage },
  { path: "/campaigns/:id", title: "Campaign", permission: "network:read", component: CampaignPage },
  {
    path: "/prospects",
    title: "Prospects",
    icon: "prospects",
    permission: "prospecting:search",
    component: ProspectsPage,
  },
  {
    path: "/enrichment",
    title: "Enrichment",
    icon: "enrichment",
    permission: "leads:enrich",
    component: EnrichmentPage,
  },
  { path: "/voice", title: "Voice", icon: "voice", permission: "voice:read", component: VoicesPage },
  { path: "/voice/new", title: "Clone a voice", permission: "voice:create", component: NewVoicePage },
  { path: "/voice/:id", title: "Voice", permission: "voice:read", component: VoicePage },
  { path: "/settings", title: "Settings", icon: "settings", permission: null, component: SettingsPage },
  { path: "/settings/accounts/:id", title: "Account", permission: "network:read", component: AccountPage },
  { path: "/settings/webhooks/:id", title: "Webhook", permission: "webhooks:read", component: WebhookPage },
];
