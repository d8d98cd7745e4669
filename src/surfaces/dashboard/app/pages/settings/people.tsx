import { useState } from "preact/hooks";
import type { InvitationView, NewInvitationView } from "../../../../../features/workspaces/invitations/model.ts";
import type { MemberView } from "../../../../../features/workspaces/members/model.ts";
import { api, getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { session } from "../../session.ts";
import { isManager, memberName, nameOfMember, roleLabels } from "../../team.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Initials } from "../../ui/initials.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { InvitationLinkDialog, InviteDialog } from "./invite.tsx";
import { MemberDialog } from "./member.tsx";

/** The members of the workspace and its open invitations. */
export function PeopleList() {
  const [openDialog, setOpenDialog] = useState<"invite" | MemberView | null>(null);
  const [made, setMade] = useState<NewInvitationView | null>(null);
  const [revoked, setRevoked] = useState<InvitationView | null>(null);
  const people = useResource(
    async (signal) => ({
      members: await getAll<MemberView>("/members", "members", { signal }),
      invitations: await getAll<InvitationView>("/invitations", "invitations", { signal }),
    }),
    [],
  );
  const members = people.data?.members ?? [];
  const canManage = isManager();

  const memberColumns: readonly Column<MemberView>[] = [
    {
      id: "name",
      header: "Name",
      cell: (member) => (
        <span class="with-initials">
          <Initials name={memberName(member)} />
          <span class="two-lines">
            <button type="button" class="link" onClick={() => setOpenDialog(member)}>
              {memberName(member)}
            </button>
            <span>{member.name !== null && member.email}</span>
          </span>
        </span>
      ),
    },
    {
      id: "role",
      header: "Role",
      cell: ({ userId, role, isActive }) => (
        <span class="badges">
          <Badge tone={role === "owner" || role === "admin" ? "info" : "neutral"}>{roleLabels[role].label}</Badge>
          {userId === session.value?.user.id && <Badge>You</Badge>}
          {!isActive && <Badge tone="warn">Deactivated</Badge>}
        </span>
      ),
    },
    {
      id: "since",
      header: "Member since",
      hideBelow: "small",
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ];
  const invitationColumns: readonly Column<InvitationView>[] = [
    { id: "email", header: "Email", cell: ({ email }) => email },
    { id: "role", header: "Role", cell: ({ role }) => roleLabels[role].label },
    {
      id: "by",
      header: "Invited by",
      hideBelow: "small",
      cell: ({ invitedBy }) => (invitedBy === null ? "A global key" : nameOfMember(members, invitedBy)),
    },
    { id: "expires", header: "Expires", hideBelow: "small", cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
    {
      id: "revoke",
      header: "",
      align: "right",
      cell: (invitation) =>
        canManage && (
          <Button kind="quiet" onClick={() => setRevoked(invitation)}>
            Revoke…
          </Button>
        ),
    },
  ];

  return (
    <>
      <div class="part-head">
        <p class="faint">Members share the leads, accounts, campaigns, and credits of this workspace.</p>
        {canManage && (
          <Button kind="primary" icon="plus" onClick={() => setOpenDialog("invite")}>
            Invite
          </Button>
        )}
      </div>
      <DataTable
        label="Members"
        isStacked
        columns={memberColumns}
        rows={people.data?.members}
        rowKey={({ userId }) => userId}
        error={people.error}
        retry={people.reload}
        isLoading={people.isLoading}
        empty={<EmptyState icon="leads" title="No members" />}
      />
      {people.data !== undefined && people.data.invitations.length > 0 && (
        <Section title="Open invitations">
          <DataTable
            label="Open invitations"
            isStacked
            columns={invitationColumns}
            rows={people.data.invitations}
            rowKey={({ id }) => id}
            error={null}
            retry={people.reload}
            isLoading={people.isLoading}
            empty={null}
          />
        </Section>
      )}
      {openDialog === "invite" && (
        <InviteDialog
          onClose={() => setOpenDialog(null)}
          onMade={(invitation) => {
            setOpenDialog(null);
            setMade(invitation);
            people.reload();
          }}
        />
      )}
      {made !== null && <InvitationLinkDialog made={made} onClose={() => setMade(null)} />}
      {openDialog !== null && openDialog !== "invite" && (
        <MemberDialog
          member={openDialog}
          members={members}
          onClose={() => setOpenDialog(null)}
          onChanged={() => {
            setOpenDialog(null);
            people.reload();
          }}
        />
      )}
      {revoked !== null && (
        <ConfirmDialog
          title="Revoke invitation"
          confirm="Revoke"
          onConfirm={async () => {
            await api.delete(`/invitations/${revoked.id}`);
            showSuccess(`The link for ${revoked.email} no longer works.`);
            people.reload();
          }}
          onClose={() => setRevoked(null)}
        >
          <p>The link that was sent to {revoked.email} will no longer work.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
