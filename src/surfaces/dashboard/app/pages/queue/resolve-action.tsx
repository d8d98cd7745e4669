import { useState } from "preact/hooks";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api } from "../../api.ts";
import { actionLabels } from "../../network.ts";
import { targetOf } from "../../person.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";

type ResolveProps = { action: ActionView; onClose: () => void; onSaved: () => void };

/** Asks a person for the outcome of an interrupted action. */
export function ResolveDialog({ action, onClose, onSaved }: ResolveProps) {
  const [busy, setBusy] = useState<"completed" | "failed" | null>(null);
  async function resolve(outcome: "completed" | "failed") {
    setBusy(outcome);
    try {
      await api.post(`/network/actions/${action.jobId}/resolve`, { outcome });
      showSuccess(
        outcome === "completed" ? "Marked as completed." : "Marked as failed. You can retry it on the Failed tab.",
      );
      onSaved();
      onClose();
    } catch (error) {
      showError(error);
      setBusy(null);
    }
  }
  return (
    <Dialog title="Report outcome" onClose={onClose}>
      <p>
        {actionLabels[action.actionType].label} to {targetOf(action)} was interrupted, so its outcome is unknown. It is
        not repeated automatically. Check the profile, then report the outcome.
      </p>
      <p>
        <OutsideLink href={action.profileUrl}>{action.profileUrl}</OutsideLink>
      </p>
      {action.message && <blockquote>{action.message}</blockquote>}
      <footer class="buttons">
        <Button isBusy={busy === "failed"} onClick={() => void resolve("failed")}>
          Not sent
        </Button>
        <Button kind="primary" isBusy={busy === "completed"} onClick={() => void resolve("completed")}>
          Sent
        </Button>
      </footer>
    </Dialog>
  );
}
