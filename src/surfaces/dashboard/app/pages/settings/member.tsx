import { useState } from "preact/hooks";
import type { MemberView } from "../../../../../features/workspaces/members/model.ts";
import { api } from "../../api.ts";
import { urlOf } from "../../router.tsx";
import { session } from "../../session.ts";
import { isManager, memberName, roleLabels } from "../../team.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { FormError, SelectField, useForm } from "../../ui/form.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { RoleField } from "./role-field.tsx";

type MemberProps = {
  member: MemberView;
  members: readonly MemberView[];
  onClose: () => void;
  onChanged: () => void;
};

/** Role and membership of a person. */
export function MemberDialog({ member, members, onClose, onChanged }: MemberProps) {
  const [step, setStep] = useState<"remove" | "transfer" | null>(null);
  const [permissions, setPermissions] = useState<ReadonlySet<string>>(new Set(member.permissions ?? []));
  const { userId, isActive } = member;
  const name = memberName(member);
  const path = `/members/${userId}`;
  const form = useForm<{ role: string }>({ role: member.role }, async ({ role }) => {
    await api.put(path, { role, ...(role === "custom" && { permissions: [...permissions] }) });
    showSuccess(`The role of ${name} was changed.`);
    onChanged();
  });
  const activation = useForm({}, async () => {
    await api.put(path, { isActive: !isActive });
    showSuccess(isActive ? `${name} was deactivated.` : `${name} was reactivated.`);
    onChanged();
  });
  const isSelf = userId === session.value?.user.id;
  const canManage = isManager();
  const isOwner = session.value?.workspace.role === "owner";

  if (step === "remove")
    return <RemoveMember member={member} members={members} onClose={() => setStep(null)} onRemoved={onChanged} />;
  if (step === "transfer")
    return (
      <ConfirmDialog
        title={`Make ${name} the owner`}
        confirm="Transfer ownership"
        onConfirm={async () => {
          await api.post(`${path}/transfer-ownership`);
          // The session has another role from now on.
          location.reload();
        }}
        onClose={() => setStep(null)}
      >
        <p>{name} will be an owner of this workspace, and you will be an admin.</p>
      </ConfirmDialog>
    );
  return (
    <Dialog title={name} onClose={onClose} isWide={form.values.role === "custom"}>
      <dl class="facts">
        <dt>Email</dt>
        <dd>{member.email}</dd>
        {!canManage && (
          <>
            <dt>Role</dt>
            <dd>{roleLabels[member.role].label}</dd>
          </>
        )}
      </dl>
      <FormError form={{ error: activation.error }} />
      {canManage && (
        <form onSubmit={form.onSubmit}>
          <FormError form={form} />
          <RoleField form={form} chosen={permissions} choose={setPermissions} />
          <div class="buttons">
            <Button kind="primary" type="submit" isBusy={form.isBusy}>
              Save
            </Button>
          </div>
        </form>
      )}
      {(canManage || isSelf) && (
        <footer class="buttons">
          {isOwner && !isSelf && isActive && <Button onClick={() => setStep("transfer")}>Transfer ownership…</Button>}
          {canManage && !isSelf && (
            <Button isBusy={activation.isBusy} onClick={(event) => activation.onSubmit(event)}>
              {isActive ? "Deactivate" : "Reactivate"}
            </Button>
          )}
          <Button kind="danger" onClick={() => setStep("remove")}>
            {isSelf ? "Leave…" : "Remove…"}
          </Button>
        </footer>
      )}
    </Dialog>
  );
}

function RemoveMember({
  member,
  members,
  onClose,
  onRemoved,
}: Pick<MemberProps, "member" | "members" | "onClose"> & { onRemoved: () => void }) {
  const isSelf = member.userId === session.value?.user.id;
  const others = members.filter(({ userId, isActive }) => userId !== member.userId && isActive);
  const heirs = [
    { value: "", label: "Unassigned" },
    ...others.map((other) => ({ value: other.userId, label: memberName(other) })),
  ];
  const form = useForm({ leadsTo: "", accountsTo: "" }, async (query) => {
    await api.delete(`/members/${member.userId}`, { query });
    if (isSelf) location.assign(urlOf("/"));
    showSuccess(`${memberName(member)} was removed.`);
    onRemoved();
  });
  return (
    <Dialog title={isSelf ? "Leave this workspace" : `Remove ${memberName(member)}`} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <p>
          {isSelf
            ? "Your keys for this workspace will be deleted, and your sessions in it end."
            : "Their keys for this workspace will be deleted, and their sessions in it end at once."}
        </p>
        <SelectField form={form} name="leadsTo" label="Who gets the leads?" choices={heirs} />
        <SelectField form={form} name="accountsTo" label="Who gets the network accounts?" choices={heirs} />
        <footer class="buttons">
          <Button onClick={onClose}>Back</Button>
          <Button kind="danger" type="submit" isBusy={form.isBusy}>
            {isSelf ? "Leave" : "Remove"}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
