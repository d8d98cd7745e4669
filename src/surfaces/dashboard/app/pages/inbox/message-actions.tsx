import { useState } from "preact/hooks";
import type { MessageView } from "../../../../../features/inbox/model.ts";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import { api } from "../../api.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { showError, showSuccess, showUndo } from "../../ui/toast.tsx";
import { EditActionDialog } from "../queue/edit-action.tsx";
import { ResolveDialog } from "../queue/resolve-action.tsx";

type MessageActionsProps = { message: MessageView; onChange: () => void };

/** What can be done with a message that was not sent yet, was not sent at all, or possibly was. */
export function MessageActions({ message: { id, state }, onChange }: MessageActionsProps) {
  const [dialog, setDialog] = useState<{ kind: "edit" | "resolve"; action: ActionView } | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const mayRetry = can("jobs:update");
  if (!can("network:schedule")) return null;

  async function run(work: () => Promise<void>): Promise<void> {
    setIsBusy(true);
    try {
      await work();
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }
  const ask = (kind: "edit" | "resolve") =>
    void run(async () => setDialog({ kind, action: await api.get<ActionView>(`/network/actions/${id}`) }));
  const retry = async () => {
    await api.post(`/users/jobs/${id}/retry`);
    onChange();
  };
  const cancel = () =>
    void run(async () => {
      await api.post(`/network/actions/${id}/cancel`);
      onChange();
      if (mayRetry) showUndo("The message is not sent.", retry);
      else showSuccess("The message is not sent.");
    });

  return (
    <>
      {state === "queued" && (
        <Button kind="quiet" isBusy={isBusy} onClick={() => ask("edit")}>
          Edit
        </Button>
      )}
      {state === "queued" && (
        <Button kind="quiet" isBusy={isBusy} onClick={cancel}>
          Cancel
        </Button>
      )}
      {state === "failed" && mayRetry && (
        <Button kind="quiet" isBusy={isBusy} onClick={() => void run(retry)}>
          Try again
        </Button>
      )}
      {state === "unknown" && (
        <Button kind="quiet" isBusy={isBusy} onClick={() => ask("resolve")}>
          Report outcome
        </Button>
      )}
      {dialog?.kind === "edit" && (
        <EditActionDialog action={dialog.action} onClose={() => setDialog(null)} onSaved={onChange} />
      )}
      {dialog?.kind === "resolve" && (
        <ResolveDialog action={dialog.action} onClose={() => setDialog(null)} onSaved={onChange} />
      )}
    </>
  );
}
