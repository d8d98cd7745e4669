import { Type, type Static } from "@sinclair/typebox";
import { permissions } from "../../../platform/auth/key-model.ts";
import { memberRoles } from "../../../platform/auth/member-role.ts";

/** Of a workspace. */
export const maxMembers = 1000;

const role = Type.Union(
  memberRoles.map((name) => Type.Literal(name)),
  {
    description:
      "owner: everything. admin: everything except managing owners. member: everything except members, webhooks, the audit log, backups, metrics, and erasures. viewer: reading. custom: the permissions in `permissions`. Everyone may also edit their own profile and leave.",
  },
);

const customPermissions = Type.Array(Type.String(), {
  maxItems: permissions.length,
  description: `For the role custom. Each one of: ${permissions.join(", ")}.`,
});

/** A role in a request, for members and invitations. */
export const RoleFields = { role, permissions: Type.Optional(customPermissions) };

export const MemberUpdate = Type.Object(
  {
    role: Type.Optional(role),
    permissions: Type.Optional(customPermissions),
    isActive: Type.Optional(
      Type.Boolean({ description: "false: the member keeps their leads and accounts, but none of their keys works." }),
    ),
  },
  { examples: [{ role: "admin" }] },
);
export type MemberUpdate = Static<typeof MemberUpdate>;

export const MemberView = Type.Object(
  {
    userId: Type.String(),
    email: Type.String(),
    name: Type.Union([Type.String(), Type.Null()]),
    role,
    permissions: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description: "Permissions of the role `custom`; null for other roles.",
    }),
    isActive: Type.Boolean({ description: "false if the membership or the user is deactivated." }),
    createdAt: Type.String({ format: "date-time", description: "When the user became a member." }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "Member", description: "A user in a workspace." },
);
export type MemberView = Static<typeof MemberView>;
