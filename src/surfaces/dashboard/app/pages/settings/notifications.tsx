import type { NotificationSettingsView } from "../../../../../features/mail/model.ts";
import type { NotificationKind } from "../../../../../features/notifications/model.ts";
import { api } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { can, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, useForm } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { showError, showSuccess } from "../../ui/toast.tsx";

const labels: Record<NotificationKind, string> = {
  accountReconnect: "A network account must be reconnected",
  importFinished: "An import that I started ended",
  trainingFinished: "Training of a voice that I created ended",
  replyReceived: "A person wrote to me",
  dailyDigest: "What happened in the last 24 hours, every morning",
};

/** What the signed-in user is notified of by mail, in all workspaces. */
export function NotificationSettings() {
  const settings = useResource(
    (signal) => api.get<NotificationSettingsView>("/users/me/notifications", { signal }),
    [],
  );
  return (
    <Section title="Notifications by email">
      <Loaded resource={settings}>{(view) => <SettingsForm view={view} onSaved={settings.reload} />}</Loaded>
    </Section>
  );
}

function SettingsForm({ view, onSaved }: { view: NotificationSettingsView; onSaved: () => void }) {
  const form = useForm({ ...view.kinds }, async (kinds) => {
    await api.put("/users/me/notifications", { kinds });
    showSuccess("Saved.");
    onSaved();
  });
  if (!view.isAvailable)
    return <p class="faint">This server sends no mail. Its operator can set up a mail server (SMTP).</p>;
  const sendTest = () =>
    api
      .post<{ recipient: string }>("/mail/test")
      .then(({ recipient }) => showSuccess(`Sent to ${recipient}.`), showError);
  return (
    <form class="form card narrow" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <p class="faint">Mail goes to {view.email}.</p>
      {(Object.keys(labels) as NotificationKind[]).map((kind) => (
        <CheckField key={kind} form={form} name={kind} path={`kinds.${kind}`} label={labels[kind]} />
      ))}
      {can("users:write") && (
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
            Save
          </Button>
          {session.value?.isAdmin && <Button onClick={() => void sendTest()}>Send a test mail</Button>}
        </div>
      )}
    </form>
  );
}
