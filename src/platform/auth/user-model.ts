import { Type, type Static } from "@sinclair/typebox";
import type { UserId } from "../base/ids.ts";

export const roles = ["admin", "member"] as const;
export type Role = (typeof roles)[number];

/** A person. What they work with belongs to the workspaces that they are members of. */
export type User = {
  id: UserId;
  email: string;
  /** The address as it is compared: two users cannot have the same. */
  emailKey: string;
  name: string | null;
  /** In the installation: admins manage users, credits, and the server. The role in a workspace is that of the member. */
  role: Role;
  /** IANA name. */
  timeZone: string;
  /** Nothing works for a deactivated user. */
  isActive: boolean;
  createdAt: number;
  updatedAt: number;
};

const email = Type.String({ minLength: 3, maxLength: 254 });
const name = Type.Union([Type.String({ maxLength: 200 }), Type.Null()]);
const timeZone = Type.String({ maxLength: 100, description: "IANA name, such as Europe/Berlin." });

export const UserInput = Type.Object(
  {
    email,
    name: Type.Optional(name),
    role: Type.Optional(Type.Union(roles.map((role) => Type.Literal(role)))),
    timeZone: Type.Optional(timeZone),
  },
  { examples: [{ email: "ada@example.com", name: "Ada Lovelace" }] },
);
export type UserInput = Static<typeof UserInput>;

export const UserUpdate = Type.Object({
  email: Type.Optional(email),
  name: Type.Optional(name),
  timeZone: Type.Optional(timeZone),
});
export type UserUpdate = Static<typeof UserUpdate>;

/** What only admins of the installation change. */
export const ManagedUserUpdate = Type.Object(
  {
    ...UserUpdate.properties,
    role: Type.Optional(Type.Union(roles.map((role) => Type.Literal(role)))),
    isActive: Type.Optional(
      Type.Boolean({ description: "false: none of the user's keys and sessions works, in any workspace." }),
    ),
  },
  { examples: [{ isActive: false }] },
);
export type ManagedUserUpdate = Static<typeof ManagedUserUpdate>;

export const UserView = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name,
    role: Type.Union(roles.map((role) => Type.Literal(role))),
    timeZone,
    isActive: Type.Boolean({ description: "false: deactivated by an admin." }),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "User", description: "A person who uses the service." },
);
export type UserView = Static<typeof UserView>;

/** The part of the user store that finds a user. */
export type UserLookup = { get(id: UserId): Promise<User | null> };
