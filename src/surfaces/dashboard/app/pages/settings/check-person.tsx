import { useState } from "preact/hooks";
import type { SuppressionAnswer } from "../../../../../features/suppression/model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { kindLabels } from "./suppression-labels.ts";

/** Checks whether a person may be contacted, even if only hashes are stored. */
export function CheckPersonDialog({ onClose }: { onClose: () => void }) {
  const [answer, setAnswer] = useState<SuppressionAnswer | null>(null);
  const form = useForm({ email: "", networkUrl: "", phone: "" }, async (values) => {
    setAnswer(null);
    const known = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
    setAnswer(await api.post<SuppressionAnswer>("/suppressions/check", known));
  });
  return (
    <Dialog title="Check a person" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField form={form} name="email" label="Email" isOptional autofocus />
        <TextField form={form} name="networkUrl" label="Profile" isOptional />
        <TextField form={form} name="phone" label="Phone" isOptional />
        <div role="status">
          {answer !== null && !answer.doNotContact && (
            <p class="notice">You can contact this person. No entry matches.</p>
          )}
          {answer?.doNotContact && (
            <div class="notice danger">
              <div>
                <p>
                  <strong>Do not contact.</strong>
                </p>
                {answer.matches.map(({ entryId, kind, scope, reason }) => (
                  <p key={entryId}>
                    {kindLabels[kind]}, {scope === "team" ? "for all workspaces" : "for this workspace"}
                    {reason !== null && `: ${reason}`}
                  </p>
                ))}
              </div>
            </div>
          )}
        </div>
        <footer class="buttons">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Check
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
