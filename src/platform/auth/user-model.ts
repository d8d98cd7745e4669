import { Type, type Static } from "@sinclair/typebox";

export const roles = ["admin", "member"] as const;
export type Role = (typeof roles)[number];

export type User = {
  id: string;
  email: string;
  name: string | null;
  role: Role;
  /** IANA name. */
  timeZone: string;
  createdAt: number;
  updatedAt: number;
};

const name = Type.Union([Type.String({ maxLength: 200 }), Type.Null()]);
const timeZone = Type.String({ maxLength: 100, description: "IANA name, such as Europe/Berlin." });

export const UserInput = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254 }),
    name: Type.Optional(name),
    role: Type.Optional(Type.Union(roles.map((role) => Type.Literal(role)))),
    timeZone: Type.Optional(timeZone),
  },
  { examples: [{ email: "ada@example.com", name: "Ada Lovelace" }] },
);
export type UserInput = Static<typeof UserInput>;

export const UserUpdate = Type.Object({ name: Type.Optional(name), timeZone: Type.Optional(timeZone) });
export type UserUpdate = Static<typeof UserUpdate>;

export const UserView = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name,
    role: Type.Union(roles.map((role) => Type.Literal(role))),
    timeZone,
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "User", description: "A member of the team." },
);
export type UserView = Static<typeof UserView>;

/** The part of the user store that finds a user. */
export type UserLookup = { get(id: string): Promise<User | null> };
