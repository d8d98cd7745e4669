import { Type, type Static } from "@sinclair/typebox";
import type { UserId, WorkspaceId } from "../base/ids.ts";

/** Specification, "Authentication", item 4, and our own. */
export const permissions = [
  "users:read", "users:write",
  "network:schedule", "network:upload", "network:read", "network:voice",
  "leads:read", "leads:write", "leads:enrich", "leads:delete",
  "voice:create", "voice:read", "voice:update", "voice:delete", "voice:preview",
  "jobs:read", "jobs:update",
  "prospecting:search",
  "keys:manage", "api_keys:read", "api_keys:write",
  // Our own: the specification does not cover these.
  "audit:read", "privacy:read", "privacy:write",
  "backups:read", "backups:write", "metrics:read", "events:read", "webhooks:read", "webhooks:write",
] as const; // prettier-ignore
export type Permission = (typeof permissions)[number];
/** A permission, or all of them. */
export type Grant = Permission | "*";

/** Name of the keys behind sign-in links and sessions in other workspaces. Their secrets are never shown. */
export const dashboardKeyName = "dashboard";

/** Maximum requests per window; a window that is missing is not limited. */
export type KeyRateLimits = { minute?: number; hour?: number; day?: number };

/** The limits among the fields that were sent; null without any. */
export function limitsOf(sent: KeyRateLimits | null | undefined): KeyRateLimits | null {
  const { minute, hour, day } = sent ?? {};
  const limits = Object.entries({ minute, hour, day }).filter(([, limit]) => limit !== undefined);
  return limits.length === 0 ? null : Object.fromEntries(limits);
}

/** What a key is limited to besides its permissions. Null: not limited. */
export type KeyRestrictions = {
  /** In addition to the limits of the user. */
  rateLimits: KeyRateLimits | null;
  /** Addresses and networks (CIDR) that it can be used from. */
  allowedNetworks: string[] | null;
};

export type ApiKey = KeyRestrictions & {
  id: string;
  /** Null for a global key. */
  workspaceId: WorkspaceId | null;
  /** The member it belongs to; null for a global key. */
  userId: UserId | null;
  name: string;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** First characters of the key, to recognize it. */
  hint: string;
  permissions: Grant[];
  /** Network actions that it schedules wait until another key approves them. */
  requiresApproval: boolean;
  expiresAt: number | null;
  /** Days from the creation of its secret until it expires; null: never, or with the key that created it. */
  expiresInDays: number | null;
  isActive: boolean;
  usageCount: number;
  lastUsedAt: number | null;
  createdAt: number;
  updatedAt: number;
};

const PermissionList = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: permissions.length,
  description: `Each one of: ${permissions.join(", ")}.`,
});

const approvalField = Type.Boolean({
  description: "Network actions that this key schedules wait until another key approves them: for agents and interns.",
});

const expiryField = Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
  description:
    "Days until the key expires; null: never. The period starts again when the key is regenerated. No key outlives the key that created it.",
});

const quota = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }));
const rateLimitsField = Type.Union([Type.Object({ minute: quota, hour: quota, day: quota }), Type.Null()], {
  description:
    "Maximum requests of this key per window, in addition to the limits of its user; null: no limits of its own.",
});
const networksField = Type.Union(
  [Type.Array(Type.String({ minLength: 2, maxLength: 60 }), { minItems: 1, maxItems: 100 }), Type.Null()],
  {
    description:
      "Addresses and networks that the key can be used from, such as 203.0.113.7 and 10.0.0.0/8; null: any. Behind reverse proxies, set OUTREACHD_TRUSTED_PROXIES.",
  },
);

export const KeyInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    permissions: PermissionList,
    requiresApproval: Type.Optional(approvalField),
    expiresInDays: Type.Optional(expiryField),
    rateLimits: Type.Optional(rateLimitsField),
    allowedNetworks: Type.Optional(networksField),
    userId: Type.Optional(
      Type.String({ description: "Owner of the key. Only an admin or a global key can set another user." }),
    ),
    global: Type.Optional(
      Type.Boolean({
        description: "true for a global key. Only accepted from the command line of the server's machine.",
      }),
    ),
  },
  { examples: [{ name: "CRM sync", permissions: ["leads:read", "leads:write"], expiresInDays: 90 }] },
);
export type KeyInput = Static<typeof KeyInput>;

export const KeyUpdate = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  permissions: Type.Optional(PermissionList),
  requiresApproval: Type.Optional(approvalField),
  expiresInDays: Type.Optional(expiryField),
  rateLimits: Type.Optional(rateLimitsField),
  allowedNetworks: Type.Optional(networksField),
  isActive: Type.Optional(Type.Boolean({ description: "false disables the key without deleting it." })),
});
export type KeyUpdate = Static<typeof KeyUpdate>;

const instantOrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

export const KeyView = Type.Object(
  {
    id: Type.String(),
    userId: Type.Union([Type.String(), Type.Null()], { description: "null for a global key." }),
    name: Type.String(),
    hint: Type.String({ description: "First characters of the key." }),
    permissions: Type.Array(Type.String()),
    requiresApproval: approvalField,
    rateLimits: rateLimitsField,
    allowedNetworks: networksField,
    isActive: Type.Boolean(),
    usageCount: Type.Integer(),
    expires_at: instantOrNull,
    created_at: Type.String({ format: "date-time" }),
    last_used_at: instantOrNull,
  },
  { $id: "ApiKey", description: "An API key, without its secret." },
);
export type KeyView = Static<typeof KeyView>;

export const NewKeyView = Type.Object(
  {
    ...KeyView.properties,
    key: Type.String({ description: "The secret key. Returned only once, in this response." }),
  },
  { $id: "NewApiKey", description: "A new key, with its secret." },
);
export type NewKeyView = Static<typeof NewKeyView>;

export const KeyUsageView = Type.Object(
  {
    days: Type.Array(
      Type.Object({
        date: Type.String({ format: "date", description: "Day in UTC." }),
        requests: Type.Integer(),
      }),
      { description: "One for each day, oldest first." },
    ),
  },
  { $id: "KeyUsage", description: "Requests of a key by day." },
);
export type KeyUsageView = Static<typeof KeyUsageView>;
