import type { Permission } from "../../../../../platform/auth/key-model.ts";

type Group = { label: string; permissions: Partial<Record<Permission, string>> };

/** Every permission, by what it is for. */
export const permissionGroups: readonly Group[] = [
  {
    label: "Leads",
    permissions: {
      "leads:read": "Read leads and the do-not-contact list",
      "leads:write": "Add and change them",
      "leads:delete": "Delete them",
      "leads:enrich": "Enrich leads (costs credits)",
      "prospecting:search": "Search prospects (costs credits)",
    },
  },
  {
    label: "Network",
    permissions: {
      "network:read": "See accounts, actions and campaigns",
      "network:schedule": "Schedule actions, steer campaigns",
      "network:upload": "Upload lists of actions",
      "network:voice": "Send voice messages",
    },
  },
  {
    label: "Voices",
    permissions: {
      "voice:read": "See voices",
      "voice:create": "Clone a voice",
      "voice:update": "Change voices",
      "voice:delete": "Delete voices",
      "voice:preview": "Let them speak",
    },
  },
  {
    label: "Work of the server",
    permissions: {
      "jobs:read": "See jobs",
      "jobs:update": "Cancel and retry jobs",
      "backups:read": "Download backups, which hold everybody’s data",
      "backups:write": "Make and delete backups",
      "metrics:read": "Read measurements",
      "events:read": "Follow what happens",
      "webhooks:read": "See webhooks and their deliveries",
      "webhooks:write": "Change webhooks, deliver again",
    },
  },
  {
    label: "Users and keys",
    permissions: {
      "users:read": "See users",
      "users:write": "Change users",
      "audit:read": "See who did what",
      "privacy:read": "See all that is stored about a person",
      "privacy:write": "Erase a person",
      "api_keys:read": "See keys",
      "api_keys:write": "Make and change keys",
      "keys:manage": "All that, and delete keys",
    },
  },
];

export function isReading(permission: string): boolean {
  // Backups hold what no other permission to read shows.
  return (permission.endsWith(":read") && permission !== "backups:read") || permission === "voice:preview";
}
