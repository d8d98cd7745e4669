import { useState } from "preact/hooks";
import type { CreditBudgetView } from "../../../../../features/credits/model.ts";
import type { KeyView, NewKeyView } from "../../../../../platform/auth/key-model.ts";
import type { SignInLinkView } from "../../../../../features/workspaces/sessions/model.ts";
import { api, sessionApi } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { may, session, signedIn } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { CheckField, FormError, TextField, useForm } from "../../ui/form.tsx";
import { tell, tellError } from "../../ui/toast.tsx";
import { PermissionField } from "./permission-field.tsx";

type EditKeyProps = {
  apiKey: KeyView;
  onClose: () => void;
  onChanged: () => void;
  onSecret: (key: NewKeyView) => void;
};

type Asked = "regenerate" | "delete";

/** All that can be done with a key. What ends the session of the person says so before. */
export function EditKeyDialog({ apiKey: key, onClose, onChanged, onSecret }: EditKeyProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(key.permissions));
  const isOwn = key.id === session.value?.key.id;
  const path = `/keys/${key.id}`;
  const form = useForm(
    { name: key.name, requiresApproval: key.requiresApproval },
    async ({ name, requiresApproval }) => {
      const permissions = [...chosen];
      const isNarrowed =
        permissions.length !== key.permissions.length || permissions.some((one) => !key.permissions.includes(one));
      await api.put<KeyView>(path, {
        name,
        ...(requiresApproval !== key.requiresApproval && { requiresApproval }),
        ...(isNarrowed && { permissions }),
      });
      const current = isOwn ? await sessionApi.current() : null;
      if (current !== null) signedIn(current);
      tell(`The key “${name}” was changed.`);
      onChanged();
      onClose();
    },
  );

  async function turn() {
    try {
      await api.put(path, { isActive: !key.isActive });
      tell(key.isActive ? `“${key.name}” opens nothing now.` : `“${key.name}” works again.`);
      onChanged();
      onClose();
    } catch (error) {
      tellError(error);
    }
  }
  async function makeLink() {
    try {
      setLink((await api.post<SignInLinkView>(`${path}/link`)).url);
    } catch (error) {
      tellError(error);
    }
  }

  if (asked === "regenerate")
    return (
      <ConfirmDialog
        title={`Give “${key.name}” a new secret?`}
        confirm="Make a new secret"
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          const made = await api.post<NewKeyView>(`${path}/regenerate`);
          // The session ended with the old secret; without a new one the new secret could not be shown.
          if (isOwn) signedIn(await sessionApi.signIn({ key: made.key }));
          onSecret(made);
        }}
      >
        <p>The old one stops working at once, wherever it is used.</p>
        {isOwn && <p>You are signed in with this key, and stay signed in here. Other browsers are signed out.</p>}
      </ConfirmDialog>
    );
  if (asked === "delete")
    return (
      <ConfirmDialog
        title={`Delete “${key.name}”?`}
        confirm="Delete for good"
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          await api.delete(path);
          tell(`The key “${key.name}” was deleted.`);
          onChanged();
          onClose();
        }}
      >
        <p>It stops working at once. To stop it temporarily, disable it instead.</p>
        {isOwn && <p class="notice warn">You are signed in with this key: you will be signed out.</p>}
      </ConfirmDialog>
    );
  return (
    <Dialog title={key.name} onClose={onClose} isWide>
      <form onSubmit={form.onSubmit}>
        <TextField form={form} name="name" label="Name" maxLength={200} required />
        {key.permissions.includes("*") ? (
          <p class="faint">It may do everything.</p>
        ) : (
          <PermissionField chosen={chosen} onChange={setChosen} />
        )}
        <CheckField form={form} name="requiresApproval" label="What it schedules waits for approval" />
        <FormError form={form} />
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Save
          </Button>
          <Button onClick={() => void turn()} disabled={isOwn && key.isActive}>
            {key.isActive ? "Turn it off" : "Turn it on"}
          </Button>
          <Button onClick={() => setAsked("regenerate")}>New secret…</Button>
          <Button onClick={() => void makeLink()}>Sign-in link</Button>
          {may("keys:manage") && <Button onClick={() => setAsked("delete")}>Delete…</Button>}
        </div>
        {isOwn && <p class="hint">You are signed in with this key, so it can’t be turned off here.</p>}
      </form>
      {link !== null && (
        <div>
          <p class="hint">Works once, within the hour. Whoever opens it may do what the key may.</p>
          <CopyText label="Sign-in link" text={link} />
        </div>
      )}
      <BudgetForm keyId={key.id} />
    </Dialog>
  );
}

/** What the key may spend in a month. */
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
    tell("The budget was set.");
  });
  return (
    <form class="budget" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField
        form={form}
        name="monthly"
        label="Credits a month"
        type="number"
        min={0}
        isOptional
        hint={
          budget === null
            ? "Empty: as many as you have."
            : `${count(budget.used)} of them were spent in this month. Empty: as many as you have.`
        }
      />
      <Button type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
        Set the budget
      </Button>
    </form>
  );
}
