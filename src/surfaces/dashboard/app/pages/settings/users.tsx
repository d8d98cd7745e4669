import { useState } from "preact/hooks";
import type { KeyView, NewKeyView } from "../../../../../platform/auth/key-model.ts";
import type { UserView } from "../../../../../platform/auth/user-model.ts";
import type { SignInLinkView } from "../../../../../features/workspaces/sessions/model.ts";
import { api, getAll } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { here, setQuery } from "../../router.tsx";
import { can, session, timeZone } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, SelectField, TextField, useForm } from "../../ui/form.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { NewKeyDialog, SecretDialog } from "./new-key.tsx";

const pageSize = 50;

/** The users of the installation, for admins. */
export function UserList() {
  const [openDialog, setOpenDialog] = useState<"new" | UserView | null>(null);
  const offset = Math.max(0, Number(here.value.query.get("offset")) || 0);
  const users = useResource(
    (signal) => api.get<{ users: UserView[]; total: number }>("/users", { query: { limit: pageSize, offset }, signal }),
    [offset],
  );
  const total = users.data?.total ?? 0;
  const columns: readonly Column<UserView>[] = [
    {
      id: "name",
      header: "Name",
      cell: (user) => (
        <span class="two-lines">
          <button type="button" class="link" onClick={() => setOpenDialog(user)}>
            {user.name ?? user.email}
          </button>
          <span>{user.email}</span>
        </span>
      ),
    },
    {
      id: "role",
      header: "Role",
      cell: ({ id, role }) => (
        <span class="badges">
          <Badge tone={role === "admin" ? "info" : "neutral"}>{role === "admin" ? "Admin" : "Member"}</Badge>
          {id === session.value?.user.id && <Badge>You</Badge>}
        </span>
      ),
    },
    { id: "zone", header: "Time zone", hideBelow: "medium", cell: ({ timeZone: zone }) => zone },
    { id: "since", header: "Added", hideBelow: "small", cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  ];
  return (
    <>
      <div class="part-head">
        <p class="faint">
          All users of this installation. A user added here starts with a workspace of their own; invite colleagues
          under People instead.
        </p>
        {can("users:write") && (
          <Button kind="primary" icon="plus" onClick={() => setOpenDialog("new")}>
            Add user
          </Button>
        )}
      </div>
      <DataTable
        label="Users"
        isStacked
        columns={columns}
        rows={users.data?.users}
        rowKey={({ id }) => id}
        error={users.error}
        retry={users.reload}
        isLoading={users.isLoading}
        paging={{
          offset,
          total,
          hasPrevious: offset > 0,
          hasNext: offset + pageSize < total,
          toPrevious: () => setQuery({ offset: String(Math.max(0, offset - pageSize)) }),
          toNext: () => setQuery({ offset: String(offset + pageSize) }),
        }}
        empty={<EmptyState icon="leads" title="No users on this page" />}
      />
      {openDialog === "new" && (
        <NewUserDialog
          onClose={() => setOpenDialog(null)}
          onAdded={(user) => {
            users.reload();
            setOpenDialog(user);
          }}
        />
      )}
      {openDialog !== null && openDialog !== "new" && (
        <UserDialog user={openDialog} onClose={() => setOpenDialog(null)} />
      )}
    </>
  );
}

function NewUserDialog({ onClose, onAdded }: { onClose: () => void; onAdded: (user: UserView) => void }) {
  const form = useForm({ email: "", name: "", role: "member", timeZone: timeZone() }, async ({ name, ...values }) => {
    const user = await api.post<UserView>("/users", { ...values, ...(name.trim() !== "" && { name }) });
    showSuccess(`${user.email} was added. Next, create a sign-in link.`);
    onAdded(user);
  });
  return (
    <Dialog title="Add user" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField form={form} name="email" label="Email" type="email" maxLength={254} autofocus required />
        <TextField form={form} name="name" label="Name" maxLength={200} isOptional />
        <SelectField
          form={form}
          name="role"
          label="Role"
          hint="Admins also manage users and settings of the whole installation."
          choices={[
            { value: "member", label: "Member" },
            { value: "admin", label: "Admin" },
          ]}
        />
        <TimeZoneField form={form} />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Add user
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Keys, sign-in links, and credits of a user, for admins. */
function UserDialog({ user, onClose }: { user: UserView; onClose: () => void }) {
  const [isMaking, setIsMaking] = useState(false);
  const [made, setMade] = useState<NewKeyView | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const name = user.name ?? user.email;
  const canCreateKeys = can("api_keys:write") || can("keys:manage");
  const keys = useResource(
    async (signal) => ({
      keys: canCreateKeys ? await getAll<KeyView>("/keys", "keys", { query: { userId: user.id }, signal }) : [],
    }),
    [user.id],
  );
  const form = useForm({ amount: "", note: "" }, async ({ amount, note }) => {
    const { balance } = await api.post<{ balance: number }>(`/users/${user.id}/credits/adjust`, {
      amount: Number(amount),
      ...(note.trim() !== "" && { note }),
    });
    showSuccess(`${name} now has ${count(balance)} credits.`);
    form.reset({ amount: "", note: "" });
  });

  async function createLink(keyId: string) {
    try {
      setLink((await api.post<SignInLinkView>(`/keys/${keyId}/link`)).url);
    } catch (error) {
      showError(error);
    }
  }

  if (made !== null)
    return (
      <SecretDialog
        made={made}
        onClose={() => {
          setMade(null);
          keys.reload();
        }}
      />
    );
  if (isMaking)
    return (
      <NewKeyDialog
        owner={{ id: user.id, name }}
        onClose={() => setIsMaking(false)}
        onMade={(key) => {
          setIsMaking(false);
          setMade(key);
        }}
      />
    );
  const usable = (keys.data?.keys ?? []).filter(({ isActive }) => isActive);
  return (
    <Dialog title={name} onClose={onClose}>
      <dl class="facts">
        <dt>Email</dt>
        <dd>{user.email}</dd>
        <dt>Role</dt>
        <dd>{user.role === "admin" ? "Admin" : "Member"}</dd>
        <dt>Time zone</dt>
        <dd>{user.timeZone}</dd>
      </dl>
      {canCreateKeys && (
        <section class="form">
          <h3>Keys and sign-in</h3>
          {keys.data !== undefined && usable.length === 0 && (
            <p class="faint">No keys yet. Users sign in with a key, or with a link created from a key.</p>
          )}
          <ul class="form">
            {usable.map((key) => (
              <li key={key.id} class="buttons">
                <span>
                  {key.name} <code>{key.hint}</code>
                </span>
                <Button onClick={() => void createLink(key.id)}>Sign-in link</Button>
              </li>
            ))}
          </ul>
          {link !== null && (
            <div>
              <p class="hint">This link works once and expires in one hour. It grants all permissions of the key.</p>
              <CopyText label="Sign-in link" text={link} />
            </div>
          )}
          <div class="buttons">
            <Button icon="plus" onClick={() => setIsMaking(true)}>
              Create key
            </Button>
          </div>
        </section>
      )}
      {can("users:write") && (
        <form onSubmit={form.onSubmit}>
          <h3>Credits</h3>
          <FormError form={form} />
          <div class="fields">
            <TextField
              form={form}
              name="amount"
              label="Amount"
              type="number"
              hint="A negative number removes credits."
              required
            />
            <TextField form={form} name="note" label="Note" maxLength={500} isOptional />
          </div>
          <div class="buttons">
            <Button type="submit" isBusy={form.isBusy}>
              Adjust balance
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
