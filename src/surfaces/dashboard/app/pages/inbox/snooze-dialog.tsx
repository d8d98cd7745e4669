import { instantOf } from "../../format.ts";
import { timeZone } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";

/** Asks until when to snooze. `onSnooze` rejects with what is wrong with the time. */
export function SnoozeDialog({
  onSnooze,
  onClose,
}: {
  onSnooze: (until: string) => Promise<void>;
  onClose: () => void;
}) {
  const form = useForm({ snoozedUntil: "" }, async ({ snoozedUntil }) => {
    await onSnooze(instantOf(snoozedUntil) ?? snoozedUntil);
    onClose();
  });
  return (
    <Dialog title="Snooze" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField
          form={form}
          name="snoozedUntil"
          label="Until"
          type="datetime-local"
          required
          autofocus
          hint={`In your time zone, ${timeZone()}. The snooze ends earlier if the person writes.`}
        />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Snooze
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
