import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api } from "../../api.ts";
import { instantOf } from "../../format.ts";
import { actionLabels } from "../../network.ts";
import { targetOf } from "../../person.ts";
import { timeZone } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { showSuccess } from "../../ui/toast.tsx";

type EditActionProps = { action: ActionView; onClose: () => void; onSaved: () => void };

/** Edits the text or the earliest time of an action that has not started. */
export function EditActionDialog({ action, onClose, onSaved }: EditActionProps) {
  const { actionType, jobId } = action;
  const { text, textLabel = "Text", label } = actionLabels[actionType];
  const subject = action.details.subject ?? "";
  const form = useForm({ message: action.message ?? "", subject, notBefore: "" }, async (values) => {
    await api.patch(`/network/actions/${jobId}`, {
      ...(values.message !== (action.message ?? "") && {
        message: values.message.trim() === "" ? null : values.message,
      }),
      ...(values.subject !== subject && { subject: values.subject }),
      ...(values.notBefore !== "" && { notBefore: instantOf(values.notBefore) }),
    });
    showSuccess("Saved.");
    onSaved();
    onClose();
  });
  return (
    <Dialog title={`${label} to ${targetOf(action)}`} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        {actionType === "sendInMail" && <TextField form={form} name="subject" label="Subject" maxLength={200} />}
        {text !== "none" && <TextArea form={form} name="message" label={textLabel} rows={7} autofocus />}
        <TextField
          form={form}
          name="notBefore"
          label="Not before"
          type="datetime-local"
          isOptional
          hint={`In your time zone, ${timeZone()}. If empty, the schedule does not change.`}
        />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
