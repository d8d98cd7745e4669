import { useState } from "preact/hooks";
import type { NewKeyView } from "../../../../../platform/auth/key-model.ts";
import { api, RequestError } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, FormError, SelectField, TextField, useForm } from "../../ui/form.tsx";
import { PermissionField } from "./permission-field.tsx";

const lifetimes = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "", label: "Never" },
];

const initial: { name: string; expiresInDays: string; requiresApproval: boolean } = {
  name: "",
  expiresInDays: "90",
  requiresApproval: false,
};

type NewKeyProps = {
  /** Whose key it is, when it is somebody else's. */
  owner?: { id: string; name: string };
  onClose: () => void;
  onMade: (key: NewKeyView) => void;
};

export function NewKeyDialog({ owner, onClose, onMade }: NewKeyProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const form = useForm(initial, async ({ name, expiresInDays, requiresApproval }) => {
    if (chosen.size === 0)
      throw new RequestError("Choose what the key may do: a key without permissions opens nothing.");
    const key = await api.post<NewKeyView>("/keys", {
      name,
      permissions: [...chosen],
      expiresInDays: expiresInDays === "" ? null : Number(expiresInDays),
      ...(requiresApproval && { requiresApproval }),
      ...(owner && { userId: owner.id }),
    });
    onMade(key);
  });
  return (
    <Dialog title={owner ? `Make a key for ${owner.name}` : "Make a key"} onClose={onClose} isWide>
      <form onSubmit={form.onSubmit}>
        <div class="fields">
          <TextField form={form} name="name" label="Name" hint="What it is for." maxLength={200} autofocus required />
          <SelectField form={form} name="expiresInDays" label="Expires" choices={lifetimes} />
        </div>
        <PermissionField chosen={chosen} onChange={setChosen} />
        <CheckField
          form={form}
          name="requiresApproval"
          label="What it schedules waits for approval"
          hint="For agents and for people who are new: another key has to approve each action."
        />
        <FormError form={form} />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Make the key
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The one time that a secret is seen. Closing it by accident would lose it, so only its button closes it. */
export function SecretDialog({ made, onClose }: { made: NewKeyView; onClose: () => void }) {
  const [isWarned, setIsWarned] = useState(false);
  return (
    <Dialog title={`The key “${made.name}”`} onClose={() => (isWarned ? onClose() : setIsWarned(true))}>
      <p>Copy it now: only its hash is kept, so it can’t be shown again.</p>
      <CopyText label="The key" text={made.key} />
      {isWarned && (
        <p class="notice warn" role="alert">
          Once this is closed, nobody can read the key again. Close it only when you have stored it.
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
