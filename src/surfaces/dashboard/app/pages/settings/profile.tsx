import type { UserView } from "../../../../../platform/auth/user-model.ts";
import { api } from "../../api.ts";
import { roleLabel } from "../../team.ts";
import { can, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { NotificationSettings } from "./notifications.tsx";
import { SessionList } from "./sessions.tsx";
import { showSuccess } from "../../ui/toast.tsx";

/** The signed-in user, and where they are signed in. */
export function Profile() {
  return (
    <>
      <ProfileForm />
      <NotificationSettings />
      <SessionList />
    </>
  );
}

function ProfileForm() {
  const view = session.value;
  const form = useForm(
    { name: view?.user.name ?? "", email: view?.user.email ?? "", timeZone: view?.user.timeZone ?? "" },
    async ({ name, ...values }) => {
      const user = await api.patch<UserView>("/users/me", { name: name.trim() || null, ...values });
      if (session.value !== null) session.value = { ...session.value, user };
      showSuccess("Saved.");
    },
  );
  if (view === null) return null;
  return (
    <form class="form card narrow" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField form={form} name="name" label="Name" maxLength={200} autocomplete="name" />
      <TextField form={form} name="email" label="Email" type="email" maxLength={254} required />
      <TimeZoneField form={form} hint="All times are shown in this time zone." />
      <p class="faint">
        {roleLabel(view.workspace.role)} of {view.workspace.name} · Signed in with the key “{view.key.name}”
      </p>
      {can("users:write") && (
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}
