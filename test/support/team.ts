import { permissions as allPermissions, type NewKeyView, type Permission } from "../../src/platform/auth/key-model.ts";
import type { MemberRole } from "../../src/platform/auth/member-role.ts";
import type { Client } from "./client.ts";
import { succeeded, type Service } from "./service.ts";
import type { LiveDatabase } from "./live-database.ts";

/**
 * A new member of a workspace, whose owner is `owner`, with a key that has these permissions. Written to the database of the
 * service, since nobody waits for an invitation here. The user has no other workspace.
 */
export async function addMember(
  service: Service,
  owner: Client,
  role: MemberRole,
  {
    permissions = allPermissions,
    custom = null,
  }: { permissions?: readonly Permission[]; custom?: Permission[] | null } = {},
): Promise<Client> {
  const id = crypto.randomUUID();
  const email = `${id}@example.com`;
  await using database = await service.openDatabase();
  await database.run(
    `INSERT INTO users (id, email, email_key, role, time_zone, created_at, updated_at) VALUES ($1, $2, $2, 'member', 'UTC', 1, 1)`,
    [id, email],
  );
  await joinWorkspace(database, owner.userId ?? "", id, role, custom);
  const made = await service.admin.post<NewKeyView>("/api/v2/keys", { name: role, permissions, userId: id });
  return service.client(succeeded(made).data.key, id);
}

/** Makes somebody who has a workspace of their own a member of another one too. */
export async function joinTeam(service: Service, owner: Client, newcomer: Client, role: MemberRole): Promise<void> {
  await using database = await service.openDatabase();
  await joinWorkspace(database, owner.userId ?? "", newcomer.userId ?? "", role, null);
}

/** Makes somebody a member of another workspace by an invitation; a client with their key for it. */
export async function joinByInvitation(
  service: Service,
  owner: Client,
  newcomer: Client,
  role: MemberRole,
): Promise<Client> {
  const { email } = succeeded(await newcomer.get<{ email: string }>("/api/v2/users/me")).data;
  const { url } = succeeded(await owner.post<{ url: string }>("/api/v2/invitations", { email, role })).data;
  const token = url.slice(url.indexOf("#") + 1);
  const joined = await newcomer.post<{ key: NewKeyView }>("/api/v2/invitations/join", { token });
  return service.client(succeeded(joined).data.key.key, newcomer.userId);
}

async function joinWorkspace(
  database: LiveDatabase,
  workspaceId: string,
  userId: string,
  role: MemberRole,
  custom: Permission[] | null,
): Promise<void> {
  await database.run("INSERT INTO members VALUES ($1, $2, $3, $4, CAST(1 AS BOOLEAN), 2, 2)", [
    workspaceId,
    userId,
    role,
    custom && JSON.stringify(custom),
  ]);
}
