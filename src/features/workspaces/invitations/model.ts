import { Type, type Static } from "@sinclair/typebox";
import type { Permission } from "../../../platform/auth/key-model.ts";
import type { MemberRole } from "../../../platform/auth/member-role.ts";
import { UserView } from "../../../platform/auth/user-model.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { NewKeyView } from "../../../platform/auth/key-model.ts";
import { RoleFields } from "../members/model.ts";

/** The right to become a member of a workspace, for whoever has its link. */
export type Invitation = {
  id: string;
  workspaceId: WorkspaceId;
  email: string;
  /** The address as it is compared. */
  emailKey: string;
  role: MemberRole;
  /** Null unless the role is custom. */
  permissions: Permission[] | null;
  /** SHA-256 of the token in the link, in hex. */
  hash: string;
  /** Null: a global key, or a user who was deleted. */
  invitedBy: UserId | null;
  createdAt: number;
  expiresAt: number;
};

const email = Type.String({ minLength: 3, maxLength: 254 });

export const InvitationInput = Type.Object(
  { email, ...RoleFields },
  { examples: [{ email: "grace@example.com", role: "member" }] },
);
export type InvitationInput = Static<typeof InvitationInput>;

export const InvitationView = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: RoleFields.role,
    permissions: Type.Union([Type.Array(Type.String()), Type.Null()]),
    invitedBy: Type.Union([Type.String(), Type.Null()], { description: "ID of the user; null for a global key." }),
    createdAt: Type.String({ format: "date-time" }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { $id: "Invitation", description: "An open invitation, without its link." },
);
export type InvitationView = Static<typeof InvitationView>;

export const NewInvitationView = Type.Object(
  {
    ...InvitationView.properties,
    url: Type.String({
      description:
        "Link to pass on to the invited person. Returned only once, in this response. Has no host if the server is not listening.",
    }),
    isMailed: Type.Boolean({
      description: "Whether the server also mails the link to the person. It does if it has SMTP.",
    }),
  },
  { $id: "NewInvitation", description: "A new invitation, with its link." },
);
export type NewInvitationView = Static<typeof NewInvitationView>;

const token = Type.String({ minLength: 1, maxLength: 200, description: "Token from the link: the part after #." });

export const TokenInput = Type.Object({ token });

export const AcceptInput = Type.Object({
  token,
  name: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
  timeZone: Type.Optional(Type.String({ maxLength: 100, description: "IANA name. Default: that of the workspace." })),
});
export type AcceptInput = Static<typeof AcceptInput>;

export const InvitationPreview = Type.Object(
  {
    workspace: Type.Object({ name: Type.String() }),
    email: Type.String(),
    role: RoleFields.role,
    invitedBy: Type.Union([Type.String(), Type.Null()], { description: "Name or address of the user who invites." }),
    hasAccount: Type.Boolean({
      description: "Whether a user with this address exists, who then joins with a key of their own.",
    }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { $id: "InvitationPreview" },
);
export type InvitationPreview = Static<typeof InvitationPreview>;

export const AcceptedInvitation = Type.Object(
  {
    user: UserView,
    workspace: Type.Object({ id: Type.String(), name: Type.String() }),
    key: NewKeyView,
  },
  { $id: "AcceptedInvitation", description: "The new member, with a key for the workspace that is shown only once." },
);
export type AcceptedInvitation = Static<typeof AcceptedInvitation>;
