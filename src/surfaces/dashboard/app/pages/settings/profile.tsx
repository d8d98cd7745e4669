import type { UserView } from "../../../../../platform/auth/user-model.ts";
import { api } from "../../api.ts";
import { may, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { tell } from "../../ui/toast.tsx";

/** Who is signed in, and the zone that times are shown in. */
export function ProfileForm() {
  const view = session.value;
  const form = useForm(
    { name: view?.user.name ?? "", timeZone: view?.user.timeZone ?? "" },
    async ({ name, timeZone }) => {
      const user = await api.patch<UserView>("/users/me", { name: name.trim() || null, timeZone });
      if (session.value !== null) session.value = { ...session.value, user };
      tell("Saved.");
    },
  );
  if (view === null) return null;
  return (
    <form class="form card narrow" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField form={form} name="name" label="Name" maxLength={200} autocomplete="name" />
      <TimeZoneField form={form} hint="Every time on these pages is shown in it." />
      <p class="faint">
        {view.user.email} · {view.isAdmin ? "admin" : "member"} · signed in with the key “{view.key.name}”
      </p>
      {may("users:write") && (
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}
