import type { UserView } from "../../../../../platform/auth/user-model.ts";
import { api } from "../../api.ts";
import { session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";

/** Name and time zone. The time zone of a new user defaults to that of the browser. */
export function AboutYou({ onSaved }: { onSaved: () => void }) {
  const user = session.value?.user;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isNew = user?.name === null;
  const initial = { name: user?.name ?? "", timeZone: isNew ? own : (user?.timeZone ?? own) };
  const form = useForm(initial, async ({ name, timeZone }) => {
    const saved = await api.patch<UserView>("/users/me", { name: name.trim(), timeZone: timeZone.trim() });
    if (session.value !== null) session.value = { ...session.value, user: saved };
    onSaved();
  });
  return (
    <form class="welcome-step form" onSubmit={form.onSubmit}>
      <h2>Who are you?</h2>
      <FormError form={form} />
      <TextField form={form} name="name" label="Your name" autocomplete="name" maxLength={200} required autofocus />
      <TextField
        form={form}
        name="timeZone"
        label="Time zone"
        list="time-zones"
        required
        hint="All times are shown in this time zone. Type a city to find yours."
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={form.isBusy}>
          Continue
        </Button>
      </div>
    </form>
  );
}
