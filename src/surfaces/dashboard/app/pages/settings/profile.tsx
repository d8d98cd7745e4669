import type { UserView } from "../../../../../platform/auth/user-model.ts";
import { api } from "../../api.ts";
import { can, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { showSuccess } from "../../ui/toast.tsx";

/** Name and time zone of the signed-in user. */
export function ProfileForm() {
  const view = session.value;
  const form = useForm(
    { name: view?.user.name ?? "", timeZone: view?.user.timeZone ?? "" },
    async ({ name, timeZone }) => {
      const user = await api.patch<UserView>("/users/me", { name: name.trim() || null, timeZone });
      if (session.value !== null) session.value = { ...session.value, user };
      showSuccess("Saved.");
    },
  );
  if (view === null) return null;
  return (
    <form class="form card narrow" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField form={form} name="name" label="Name" maxLength={200} autocomplete="name" />
      <TimeZoneField form={form} hint="All times are shown in this time zone." />
      <p class="faint">
        {view.user.email} · {view.isAdmin ? "Admin" : "Member"} · Signed in with the key “{view.key.name}”
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
