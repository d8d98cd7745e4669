import { Type, type Static } from "@sinclair/typebox";

/** Specification, "Authentication", item 4; and what reads the measurements. */
export const permissions = [
  "users:read", "users:write",
  "network:schedule", "network:upload", "network:read", "network:voice",
  "leads:read", "leads:write", "leads:enrich", "leads:delete",
  "voice:create", "voice:read", "voice:update", "voice:delete", "voice:preview",
  "jobs:read", "jobs:update",
  "prospecting:search",
  "keys:manage", "api_keys:read", "api_keys:write",
  // Not of the specification, which leaves these open.
  "audit:read", "privacy:read", "privacy:write",
  "backups:read", "backups:write", "metrics:read", "events:read", "webhooks:read", "webhooks:write",
] as const; // prettier-ignore
export type Permission = (typeof permissions)[number];
/** What a key holds: single permissions, or everything. */
export type Grant = Permission | "*";

export type ApiKey = {
  id: string;
  /** Null for a global key. */
  userId: string | null;
  name: string;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** First characters of the key, to recognise it by. */
  hint: string;
  permissions: Grant[];
  /** What it schedules on the network waits until another key approves it. */
  requiresApproval: boolean;
  expiresAt: number | null;
  /** How long it lasts from when its secret was made; null: for good, or until the key that made it ends. */
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
  description: "What this key schedules on the network waits until another key approves it; for agents and interns.",
});

const expiryField = Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
  description:
    "Days until the key expires; null: never. The period starts anew when the key is regenerated. No key outlives the key that makes it.",
});

export const KeyInput = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    permissions: PermissionList,
    requiresApproval: Type.Optional(approvalField),
    expiresInDays: Type.Optional(expiryField),
    userId: Type.Optional(
      Type.String({ description: "Whose key it is; only an admin or a global key may name somebody else." }),
    ),
    global: Type.Optional(
      Type.Boolean({ description: "A global key; only from the command line of the server's machine." }),
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
  isActive: Type.Optional(Type.Boolean({ description: "false turns the key off without deleting it." })),
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
    key: Type.String({ description: "The secret itself: shown in this answer and never again." }),
  },
  { $id: "NewApiKey", description: "A key that was just made, with its secret." },
);
export type NewKeyView = Static<typeof NewKeyView>;
