import { Type, type Static } from "@sinclair/typebox";
import { memberRoles } from "../../platform/auth/member-role.ts";

const name = Type.String({ minLength: 1, maxLength: 200 });
const timeZone = Type.String({ maxLength: 100, description: "IANA name, such as Europe/Berlin." });

export const WorkspaceInput = Type.Object(
  {
    name,
    timeZone: Type.Optional(timeZone),
    ownerId: Type.Optional(Type.String({ description: "User who owns it. Required with a global key." })),
  },
  { examples: [{ name: "Sales Europe", timeZone: "Europe/Berlin" }] },
);
export type WorkspaceInput = Static<typeof WorkspaceInput>;

export const WorkspaceUpdate = Type.Object(
  { name: Type.Optional(name), timeZone: Type.Optional(timeZone) },
  { examples: [{ name: "Sales Europe" }] },
);
export type WorkspaceUpdate = Static<typeof WorkspaceUpdate>;

export const WorkspaceView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    timeZone: Type.String(),
    role: Type.Union([...memberRoles.map((role) => Type.Literal(role)), Type.Null()], {
      description: "Role of the user of the key; null for a global key.",
    }),
    isCurrent: Type.Boolean({ description: "Whether the key belongs to this workspace." }),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "Workspace", description: "Owns leads, accounts, campaigns, voices, and credits, which its members share." },
);
export type WorkspaceView = Static<typeof WorkspaceView>;
