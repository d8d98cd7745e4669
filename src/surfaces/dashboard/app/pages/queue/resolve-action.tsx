import { useState } from "preact/hooks";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api } from "../../api.ts";
import { actionWords } from "../../network.ts";
import { targetOf } from "../../person.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { tell, tellError } from "../../ui/toast.tsx";

type ResolveProps = { action: ActionView; onClose: () => void; onSaved: () => void };

/** Asks a person what became of an action that was interrupted in the middle. */
export function ResolveDialog({ action, onClose, onSaved }: ResolveProps) {
  const [busy, setBusy] = useState<"completed" | "failed" | null>(null);
  async function resolve(outcome: "completed" | "failed") {
    setBusy(outcome);
    try {
      await api.post(`/network/actions/${action.jobId}/resolve`, { outcome });
      tell(outcome === "completed" ? "Noted as done." : "Noted as not done. You can try it again under Failed.");
      onSaved();
      onClose();
    } catch (error) {
      tellError(error);
      setBusy(null);
    }
  }
  return (
    <Dialog title="Report outcome" onClose={onClose}>
      <p>
        {actionWords[action.actionType].label} to {targetOf(action)} was interrupted in the middle, so nobody knows
        whether it had its effect. It is not repeated by itself. Look at the profile, and tell.
      </p>
      <p>
        <OutsideLink href={action.profileUrl}>{action.profileUrl}</OutsideLink>
      </p>
      {action.message && <blockquote>{action.message}</blockquote>}
      <footer class="buttons">
        <Button isBusy={busy === "failed"} onClick={() => void resolve("failed")}>
          It is not there
        </Button>
        <Button kind="primary" isBusy={busy === "completed"} onClick={() => void resolve("completed")}>
          It was sent
        </Button>
      </footer>
    </Dialog>
  );
}
