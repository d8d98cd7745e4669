/** ID of a workspace, which owns leads, accounts, campaigns, and credits. Not assignable from a `UserId`. */
export type WorkspaceId = string & { readonly kind?: "workspace" };

/** ID of a user: a person, who can be a member of several workspaces. Not assignable from a `WorkspaceId`. */
export type UserId = string & { readonly kind?: "user" };
