import type { ComponentType } from "preact";
import type { Permission } from "../../../../../platform/auth/key-model.ts";
import { here, setQuery } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { PageFrame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { AccountList } from "./accounts.tsx";
import { AuditLog } from "./audit-log.tsx";
import { BackupList } from "./backups.tsx";
import { KeyList } from "./keys.tsx";
import { NodeTable } from "./nodes.tsx";
import { PrivacyTools } from "./privacy.tsx";
import { PeopleList } from "./people.tsx";
import { Profile } from "./profile.tsx";
import { ProviderList } from "./providers.tsx";
import { SuppressionList } from "./suppression.tsx";
import { UserList } from "./users.tsx";
import { WorkspaceSettings } from "./workspace.tsx";
import { WebhookList } from "./webhooks.tsx";

type Part = {
  name: string;
  label: string;
  /** One of these is enough; none: everybody. */
  permissions: readonly Permission[];
  isForAdmins?: boolean;
  component: ComponentType;
};

const profile: Part = { name: "profile", label: "Profile", permissions: [], component: Profile };

const parts: readonly Part[] = [
  { name: "accounts", label: "Accounts", permissions: ["network:read"], component: AccountList },
  { name: "suppression", label: "Do-not-contact list", permissions: ["leads:read"], component: SuppressionList },
  { name: "keys", label: "API keys", permissions: ["api_keys:read", "keys:manage"], component: KeyList },
  { name: "webhooks", label: "Webhooks", permissions: ["webhooks:read"], component: WebhookList },
  { name: "providers", label: "Providers", permissions: ["leads:enrich"], component: ProviderList },
  { name: "people", label: "People", permissions: ["users:read"], component: PeopleList },
  { name: "workspace", label: "Workspace", permissions: ["users:read"], component: WorkspaceSettings },
  { name: "users", label: "All users", permissions: ["users:read"], isForAdmins: true, component: UserList },
  { name: "audit", label: "Audit log", permissions: ["audit:read"], component: AuditLog },
  { name: "privacy", label: "Privacy", permissions: ["privacy:read", "privacy:write"], component: PrivacyTools },
  { name: "backups", label: "Backups", permissions: ["backups:read"], isForAdmins: true, component: BackupList },
  { name: "nodes", label: "Nodes", permissions: ["users:read"], isForAdmins: true, component: NodeTable },
  profile,
];

/** All settings that the key has permissions for. */
export function SettingsPage() {
  const open = parts.filter(
    ({ permissions, isForAdmins }) =>
      (permissions.length === 0 || permissions.some(can)) && (!isForAdmins || session.value?.isAdmin === true),
  );
  const chosen = open.find(({ name }) => name === here.value.query.get("part")) ?? open[0] ?? profile;
  return (
    <PageFrame title="Settings">
      <Tabs label="Settings" tabs={open} chosen={chosen.name} choose={(part) => setQuery({ part })}>
        <chosen.component key={chosen.name} />
      </Tabs>
    </PageFrame>
  );
}
