import { useState } from "preact/hooks";
import type { NewKeyView } from "../../../../../platform/auth/key-model.ts";
import { api, RequestError } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, FormError, SelectField, TextField, useForm } from "../../ui/form.tsx";
import { RestrictionFields, restrictionsIn, restrictionValues, type RestrictionValues } from "./key-restrictions.tsx";
import { PermissionField } from "./permission-field.tsx";

const lifetimes = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In 1 year" },
  { value: "", label: "Never" },
];

const initial: { name: string; expiresInDays: string; requiresApproval: boolean } & RestrictionValues = {
  ...restrictionValues({ rateLimits: null, allowedNetworks: null }),
  name: "",
  expiresInDays: "90",
  requiresApproval: false,
};

type NewKeyProps = {
  /** Owner of the key, if not the signed-in user. */
  owner?: { id: string; name: string };
  onClose: () => void;
  onMade: (key: NewKeyView) => void;
};

export function NewKeyDialog({ owner, onClose, onMade }: NewKeyProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const form = useForm(initial, async ({ name, expiresInDays, requiresApproval, ...values }) => {
    if (chosen.size === 0) throw new RequestError("Select at least one permission.");
    const key = await api.post<NewKeyView>("/keys", {
      name,
      permissions: [...chosen],
      expiresInDays: expiresInDays === "" ? null : Number(expiresInDays),
      ...(requiresApproval && { requiresApproval }),
      ...restrictionsIn(values),
      ...(owner && { userId: owner.id }),
    });
    onMade(key);
  });
  return (
    <Dialog title={owner ? `Create key for ${owner.name}` : "Create key"} onClose={onClose} isWide>
      <form onSubmit={form.onSubmit}>
        <div class="fields">
          <TextField
            form={form}
            name="name"
            label="Name"
            hint="Purpose of the key."
            maxLength={200}
            autofocus
            required
          />
          <SelectField form={form} name="expiresInDays" label="Expires" choices={lifetimes} />
        </div>
        <PermissionField chosen={chosen} onChange={setChosen} />
        <CheckField
          form={form}
          name="requiresApproval"
          label="Require approval for scheduled actions"
          hint="For AI agents and new users. Another key must approve each action."
        />
        <RestrictionFields form={form} />
        <FormError form={form} />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Create key
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/**
 * Shows the secret, once. The first attempt to close the dialog shows a warning, so that the secret is not lost by
 * accident.
 */
export function SecretDialog({ made, onClose }: { made: NewKeyView; onClose: () => void }) {
  const [isWarned, setIsWarned] = useState(false);
  return (
    <Dialog title={`API key “${made.name}”`} onClose={() => (isWarned ? onClose() : setIsWarned(true))}>
      <p>Copy the key now. Only its hash is stored, so it can’t be shown again.</p>
      <CopyText label="API key" text={made.key} />
      {isWarned && (
        <p class="notice warn" role="alert">
          You can’t view the key again after closing this dialog. Store it first.
        </p>
      )}
      <footer class="buttons">
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      </footer>
    </Dialog>
  );
}
