import type { Permission } from "../../../../../platform/auth/key-model.ts";

type Group = { label: string; permissions: Partial<Record<Permission, string>> };

/** Labels of all permissions, by category. */
export const permissionGroups: readonly Group[] = [
  {
    label: "Leads",
    permissions: {
      "leads:read": "Read leads and the do-not-contact list",
      "leads:write": "Add and edit leads",
      "leads:delete": "Delete leads",
      "leads:enrich": "Enrich leads (costs credits)",
      "prospecting:search": "Search prospects (costs credits)",
    },
  },
  {
    label: "Network",
    permissions: {
      "network:read": "View accounts, actions, and campaigns",
      "network:schedule": "Schedule actions and manage campaigns",
      "network:upload": "Upload lists of actions",
      "network:voice": "Send voice messages",
    },
  },
  {
    label: "Voices",
    permissions: {
      "voice:read": "View voices",
      "voice:create": "Clone voices",
      "voice:update": "Edit voices",
      "voice:delete": "Delete voices",
      "voice:preview": "Generate voice previews",
    },
  },
  {
    label: "Server",
    permissions: {
      "jobs:read": "View jobs",
      "jobs:update": "Cancel and retry jobs",
      "backups:read": "Download backups, which contain the data of all users",
      "backups:write": "Create and delete backups",
      "metrics:read": "Read metrics",
      "events:read": "Read events",
      "webhooks:read": "View webhooks and deliveries",
      "webhooks:write": "Edit webhooks and redeliver events",
    },
  },
  {
    label: "Users and keys",
    permissions: {
      "users:read": "View users",
      "users:write": "Add and edit users",
      "audit:read": "Read the audit log",
      "privacy:read": "Export all data about a person",
      "privacy:write": "Erase a person",
      "api_keys:read": "View keys",
      "api_keys:write": "Create and edit keys",
      "keys:manage": "View, create, edit, and delete keys",
    },
  },
];

export function isReading(permission: string): boolean {
  // Backups contain data that no other read permission gives access to.
  return (permission.endsWith(":read") && permission !== "backups:read") || permission === "voice:preview";
}
