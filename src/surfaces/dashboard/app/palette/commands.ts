import type { Permission } from "../../../../platform/auth/key-model.ts";
import { sessionApi } from "../api.ts";
import { basePath } from "../base-path.ts";
import { pages } from "../pages.ts";
import { navigate } from "../router.tsx";
import { can } from "../session.ts";
import { openPanel } from "../shortcuts.ts";
import { chooseTheme } from "../theme-choice.ts";
import type { IconName } from "../ui/icons.tsx";
import { showError } from "../ui/toast.tsx";

/** Something that the command palette offers. */
export type Command = {
  id: string;
  group: "Pages" | "Actions" | "Campaigns" | "Leads";
  label: string;
  /** Words by which it is found in addition to the label. */
  words?: string;
  /** Shown beside the label. */
  detail?: string;
  icon: IconName;
  run: () => void;
};

type Action = {
  label: string;
  words?: string;
  icon: IconName;
  permission: Permission | null;
  to?: string;
  run?: () => void;
};

const actions: readonly Action[] = [
  { label: "Import leads", words: "upload csv file", icon: "upload", permission: "leads:write", to: "/leads/import" },
  { label: "Create a campaign", words: "new sequence", icon: "plus", permission: "network:schedule", to: "/campaigns/new" },
  { label: "Edit snippets", words: "reply texts templates canned inbox", icon: "inbox", permission: "network:read", to: "/inbox?snippets=open" },
  { label: "Clone a voice", words: "new record", icon: "voice", permission: "voice:create", to: "/voice/new" },
  { label: "Review approvals", words: "approve", icon: "check", permission: "network:read", to: "/queue?tab=approval" },
  { label: "Show the calendar", words: "queue schedule", icon: "queue", permission: "network:read", to: "/queue?view=calendar" },
  { label: "Add a network account", words: "connect reconnect linkedin", icon: "settings", permission: "network:read", to: "/settings?part=accounts" },
  { label: "Invite people", words: "member team colleague", icon: "leads", permission: "users:read", to: "/settings?part=people" },
  { label: "Edit the do-not-contact list", words: "suppress block", icon: "warning", permission: "leads:read", to: "/settings?part=suppression" },
  { label: "Create an API key", words: "token", icon: "settings", permission: "api_keys:read", to: "/settings?part=keys" },
  { label: "Light theme", words: "appearance color", icon: "settings", permission: null, run: () => chooseTheme("light") },
  { label: "Dark theme", words: "appearance color night", icon: "settings", permission: null, run: () => chooseTheme("dark") },
  { label: "System theme", words: "appearance color", icon: "settings", permission: null, run: () => chooseTheme("system") },
  { label: "Keyboard shortcuts", words: "help keys", icon: "more", permission: null, run: () => (openPanel.value = "help") },
  { label: "Documentation", words: "docs guides manual help", icon: "external", permission: null, run: () => void window.open(`${basePath}/docs/guides`, "_blank", "noopener") },
  { label: "API reference", words: "docs documentation openapi", icon: "external", permission: null, run: () => void window.open(`${basePath}/docs`, "_blank", "noopener") },
  { label: "Sign out", words: "log out leave", icon: "close", permission: null, run: () => void signOut() },
]; // prettier-ignore

/** The pages and actions that this user may use. */
export function fixedCommands(): Command[] {
  return [
    ...pages
      .filter(({ icon, permission }) => icon !== undefined && can(permission))
      .map(({ path, title, icon = "home" }): Command => {
        return { id: `page ${path}`, group: "Pages", label: title, icon, run: () => navigate(path) };
      }),
    ...actions
      .filter(({ permission }) => can(permission))
      .map(({ label, words, icon, to, run }): Command => {
        const start = to === undefined ? run : () => navigate(to);
        return {
          id: `action ${label}`,
          group: "Actions",
          label,
          icon,
          run: start ?? (() => {}),
          ...(words && { words }),
        };
      }),
  ];
}

async function signOut(): Promise<void> {
  try {
    await sessionApi.signOut();
    location.assign(`${basePath}/`);
  } catch (error) {
    showError(error);
  }
}
