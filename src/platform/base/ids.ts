/** ID of a workspace, which owns leads, accounts, campaigns, and credits. Not assignable from a `PersonId`. */
export type WorkspaceId = string & { readonly kind?: "workspace" };

/** ID of a person, who is a member of workspaces. Not assignable from a `WorkspaceId`. */
export type PersonId = string & { readonly kind?: "person" };
