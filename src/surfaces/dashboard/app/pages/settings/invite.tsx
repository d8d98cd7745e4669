import { useState } from "preact/hooks";
import type { NewInvitationView } from "../../../../../features/workspaces/invitations/model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { RoleField } from "./role-field.tsx";

export function InviteDialog({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (invitation: NewInvitationView) => void;
}) {
  const [permissions, setPermissions] = useState<ReadonlySet<string>>(new Set());
  const form = useForm({ email: "", role: "member" }, async ({ email, role }) => {
    const isCustom = role === "custom";
    onMade(await api.post("/invitations", { email, role, ...(isCustom && { permissions: [...permissions] }) }));
  });
  return (
    <Dialog title="Invite to this workspace" onClose={onClose} isWide={form.values.role === "custom"}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField form={form} name="email" label="Email" type="email" maxLength={254} autofocus required />
        <RoleField form={form} chosen={permissions} choose={setPermissions} />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Create link
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Shows the link of a new invitation, once. */
export function InvitationLinkDialog({ made, onClose }: { made: NewInvitationView; onClose: () => void }) {
  return (
    <Dialog title={`Invitation for ${made.email}`} onClose={onClose}>
      <p>
        {made.isMailed
          ? `The invitation was mailed to ${made.email}. You can also pass on its link.`
          : "Send this link to the person."}{" "}
        It works once, within 7 days, and is not shown again.
      </p>
      <CopyText label="Invitation link" text={made.url} />
      <footer class="buttons">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
