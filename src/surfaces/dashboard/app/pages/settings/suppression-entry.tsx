import { useState } from "preact/hooks";
import type { SuppressionView } from "../../../../../features/suppression/model.ts";
import { api } from "../../api.ts";
import { can, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { DateTime } from "../../ui/time.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { kindLabels, sourceLabels } from "./suppression-labels.ts";

type EntryProps = { entry: SuppressionView; onClose: () => void; onChanged: () => void };

/** An entry, with the actions to erase its value and to remove the entry. */
export function SuppressionDialog({ entry, onClose, onChanged }: EntryProps) {
  const [openDialog, setOpenDialog] = useState<"remove" | "erase" | null>(null);
  const path = `/suppressions/${entry.id}`;
  const canRemove = can("leads:delete") && (entry.scope === "user" || session.value?.isAdmin === true);
  const done = (words: string) => {
    showSuccess(words);
    onChanged();
    onClose();
  };
  if (openDialog === "remove")
    return (
      <ConfirmDialog
        title="Remove this entry?"
        confirm="Remove entry"
        onClose={() => setOpenDialog(null)}
        onConfirm={async () => {
          await api.delete(path);
          done("The entry was removed.");
        }}
      >
        <p>{entry.value ?? "The person"} can be contacted again, unless another entry matches.</p>
      </ConfirmDialog>
    );
  if (openDialog === "erase")
    return (
      <ConfirmDialog
        title="Erase the value?"
        confirm="Keep only the hash"
        onClose={() => setOpenDialog(null)}
        onConfirm={async () => {
          await api.post(`${path}/erase`);
          done("The value was erased. The hash is kept.");
        }}
      >
        <p>The value and the reason are permanently deleted. The entry stays in effect.</p>
      </ConfirmDialog>
    );
  return (
    <Dialog title={entry.value ?? "Hashed entry"} onClose={onClose}>
      <dl class="facts">
        <dt>Type</dt>
        <dd>{kindLabels[entry.kind]}</dd>
        <dt>Applies to</dt>
        <dd>{entry.scope === "team" ? "All workspaces" : "This workspace"}</dd>
        <dt>Reason</dt>
        <dd>{entry.reason ?? "–"}</dd>
        <dt>Source</dt>
        <dd>{sourceLabels[entry.source]}</dd>
        <dt>Added</dt>
        <dd>
          <DateTime at={entry.createdAt} />
        </dd>
        <dt>Hash</dt>
        <dd>
          <code>{entry.hash}</code>
        </dd>
      </dl>
      {canRemove && (
        <footer class="buttons">
          {entry.value !== null && <Button onClick={() => setOpenDialog("erase")}>Erase value…</Button>}
          <Button onClick={() => setOpenDialog("remove")}>Remove…</Button>
        </footer>
      )}
    </Dialog>
  );
}
