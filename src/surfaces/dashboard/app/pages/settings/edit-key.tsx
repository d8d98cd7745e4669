import { useState } from "preact/hooks";
import type { CreditBudgetView } from "../../../../../features/credits/model.ts";
import type { KeyView, NewKeyView } from "../../../../../platform/auth/key-model.ts";
import type { SignInLinkView } from "../../../../../features/workspaces/sessions/model.ts";
import { api, sessionApi } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { can, session, signedIn } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { CheckField, FormError, TextField, useForm } from "../../ui/form.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { KeyUsage, RestrictionFields, restrictionsIn, restrictionValues } from "./key-restrictions.tsx";
import { PermissionField } from "./permission-field.tsx";

type EditKeyProps = {
  apiKey: KeyView;
  onClose: () => void;
  onChanged: () => void;
  onSecret: (key: NewKeyView) => void;
};

type OpenDialog = "regenerate" | "delete";

/** Edits a key. Warns before changes that end the user's session. */
export function EditKeyDialog({ apiKey: key, onClose, onChanged, onSecret }: EditKeyProps) {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(key.permissions));
  const isOwn = key.id === session.value?.key.id;
  const path = `/keys/${key.id}`;
  const form = useForm(
    { name: key.name, requiresApproval: key.requiresApproval, ...restrictionValues(key) },
    async ({ name, requiresApproval, ...values }) => {
      const permissions = [...chosen];
      const isNarrowed =
        permissions.length !== key.permissions.length || permissions.some((one) => !key.permissions.includes(one));
      await api.put<KeyView>(path, {
        name,
        ...(requiresApproval !== key.requiresApproval && { requiresApproval }),
        ...(isNarrowed && { permissions }),
        ...restrictionsIn(values),
      });
      const current = isOwn ? await sessionApi.current() : null;
      if (current !== null) signedIn(current);
      showSuccess(`The key “${name}” was updated.`);
      onChanged();
      onClose();
    },
  );

  async function turn() {
    try {
      await api.put(path, { isActive: !key.isActive });
      showSuccess(key.isActive ? `“${key.name}” was disabled.` : `“${key.name}” was enabled.`);
      onChanged();
      onClose();
    } catch (error) {
      showError(error);
    }
  }
  async function createLink() {
    try {
      setLink((await api.post<SignInLinkView>(`${path}/link`)).url);
    } catch (error) {
      showError(error);
    }
  }

  if (openDialog === "regenerate")
    return (
      <ConfirmDialog
        title={`Regenerate “${key.name}”?`}
        confirm="Regenerate key"
        onClose={() => setOpenDialog(null)}
        onConfirm={async () => {
          const made = await api.post<NewKeyView>(`${path}/regenerate`);
          // The session ended with the old secret. Sign in again to be able to show the new one.
          if (isOwn) signedIn(await sessionApi.signIn({ key: made.key }));
          onSecret(made);
        }}
      >
        <p>The current secret stops working immediately.</p>
        {isOwn && <p>You are signed in with this key. You stay signed in here; other browsers are signed out.</p>}
      </ConfirmDialog>
    );
  if (openDialog === "delete")
    return (
      <ConfirmDialog
        title={`Delete “${key.name}”?`}
        confirm="Delete permanently"
        onClose={() => setOpenDialog(null)}
        onConfirm={async () => {
          await api.delete(path);
          showSuccess(`The key “${key.name}” was deleted.`);
          onChanged();
          onClose();
        }}
      >
        <p>The key stops working immediately. To block it temporarily, disable it instead.</p>
        {isOwn && <p class="notice warn">You are signed in with this key, so you will be signed out.</p>}
      </ConfirmDialog>
    );
  return (
    <Dialog title={key.name} onClose={onClose} isWide>
      <KeyUsage keyId={key.id} />
      <form onSubmit={form.onSubmit}>
        <TextField form={form} name="name" label="Name" maxLength={200} required />
        {key.permissions.includes("*") ? (
          <p class="faint">This key has all permissions.</p>
        ) : (
          <PermissionField chosen={chosen} onChange={setChosen} />
        )}
        <CheckField form={form} name="requiresApproval" label="Require approval for scheduled actions" />
        <RestrictionFields form={form} />
        <FormError form={form} />
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Save
          </Button>
          <Button onClick={() => void turn()} disabled={isOwn && key.isActive}>
            {key.isActive ? "Disable" : "Enable"}
          </Button>
          <Button onClick={() => setOpenDialog("regenerate")}>Regenerate…</Button>
          <Button onClick={() => void createLink()}>Sign-in link</Button>
          {can("keys:manage") && <Button onClick={() => setOpenDialog("delete")}>Delete…</Button>}
        </div>
        {isOwn && <p class="hint">You are signed in with this key, so you can’t disable it here.</p>}
      </form>
      {link !== null && (
        <div>
          <p class="hint">This link works once and expires in one hour. It grants all permissions of the key.</p>
          <CopyText label="Sign-in link" text={link} />
        </div>
      )}
      <BudgetForm keyId={key.id} />
    </Dialog>
  );
}

/** Monthly credit limit of the key. */
function BudgetForm({ keyId }: { keyId: string }) {
  const path = `/credits/budgets/${keyId}`;
  const budget = useResource((signal) => api.get<CreditBudgetView | null>(path, { signal }), [path]);
  if (budget.data === undefined) return null;
  return <LoadedBudget key={String(budget.data?.monthly)} path={path} budget={budget.data} onSaved={budget.replace} />;
}

function LoadedBudget({
  path,
  budget,
  onSaved,
}: {
  path: string;
  budget: CreditBudgetView | null;
  onSaved: (budget: CreditBudgetView | null) => void;
}) {
  const form = useForm({ monthly: budget === null ? "" : String(budget.monthly) }, async ({ monthly }) => {
    onSaved(await api.put<CreditBudgetView | null>(path, { monthly: monthly.trim() === "" ? null : Number(monthly) }));
    showSuccess("The credit limit was saved.");
  });
  return (
    <form class="budget" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField
        form={form}
        name="monthly"
        label="Monthly credit limit"
        type="number"
        min={0}
        isOptional
        hint={
          budget === null
            ? "If empty, limited only by your balance."
            : `${count(budget.used)} used this month. If empty, limited only by your balance.`
        }
      />
      <Button type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
        Save limit
      </Button>
    </form>
  );
}
