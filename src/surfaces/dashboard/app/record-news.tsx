import { api } from "./api.ts";
import { useAccounts } from "./network.ts";
import { Button } from "./ui/button.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { FormError, SelectField, TextArea, useForm } from "./ui/form.tsx";
import { showProblem, showSuccess } from "./ui/toast.tsx";

export type NewsEvent = "accepted" | "replied";

type RecordProps = {
  event: NewsEvent;
  person: { name: string; profileUrl: string };
  /** Undefined: the user selects the account if there are several. */
  accountId?: string;
  onClose: () => void;
  onRecorded: () => void;
};

const titles: Record<NewsEvent, (name: string) => string> = {
  accepted: (name) => `Mark ${name} as accepted`,
  replied: () => "Record a reply",
};

/** Records that a person accepted a request or replied, for accounts whose connector cannot report it. */
export function RecordNews({ event, person, accountId, onClose, onRecorded }: RecordProps) {
  const loaded = useAccounts();
  const accounts = loaded.data?.accounts ?? [];
  // Until then it is unknown whether the user has to choose one.
  const isWaiting = accountId === undefined && loaded.isLoading && loaded.data === undefined;
  const isChoice = accountId === undefined && accounts.length > 1;
  const form = useForm({ text: "", accountId: "" }, async (values) => {
    const text = values.text.trim();
    const chosen = accountId ?? (values.accountId || accounts[0]?.id);
    const { isNew } = await api.post<{ isNew: boolean }>("/network/contacts/events", {
      ...{ event, profileUrl: person.profileUrl },
      ...(chosen !== undefined && { accountId: chosen }),
      ...(event === "replied" && text !== "" && { text }),
    });
    if (event === "replied") showSuccess("Reply recorded.");
    else if (isNew) showSuccess("Marked as accepted.");
    else
      showProblem(`Nothing has changed: ${person.name} has accepted before, or was never contacted by this account.`);
    onRecorded();
    onClose();
  });
  return (
    <Dialog title={titles[event](person.name)} onClose={onClose}>
      <form onSubmit={form.onSubmit} class="form">
        <FormError form={form} />
        {isChoice && (
          <SelectField
            form={form}
            name="accountId"
            label="Account"
            choices={accounts.map(({ id, name }, index) => ({ value: index === 0 ? "" : id, label: name }))}
          />
        )}
        {event === "accepted" ? (
          <p>{`${person.name} has accepted the connection request. Campaigns continue with their next step.`}</p>
        ) : (
          <TextArea
            form={form}
            name="text"
            label="What the person wrote"
            hint="Paste the text from the network. Leave it empty to record only that they replied."
            isOptional
            rows={6}
            maxLength={8000}
            autofocus
          />
        )}
        <footer class="buttons">
          <Button onClick={onClose}>Back</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy || isWaiting}>
            {event === "accepted" ? "Mark as accepted" : "Record"}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
