import { useState } from "preact/hooks";
import type { SuppressionView } from "../../../../../features/suppression/model.ts";
import { api } from "../../api.ts";
import { may, session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { DateTime } from "../../ui/time.tsx";
import { tell } from "../../ui/toast.tsx";
import { kindWords, sourceWords } from "./suppression-words.ts";

type EntryProps = { entry: SuppressionView; onClose: () => void; onChanged: () => void };

/** One entry, with the two ways to take something away: what it says, or the entry itself. */
export function SuppressionDialog({ entry, onClose, onChanged }: EntryProps) {
  const [asked, setAsked] = useState<"remove" | "erase" | null>(null);
  const path = `/suppressions/${entry.id}`;
  const mayRemove = may("leads:delete") && (entry.scope === "user" || session.value?.isAdmin === true);
  const done = (words: string) => {
    tell(words);
    onChanged();
    onClose();
  };
  if (asked === "remove")
    return (
      <ConfirmDialog
        title="Remove the entry?"
        confirm="Allow contact again"
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          await api.delete(path);
          done("The entry was removed.");
        }}
      >
        <p>From then on it stands in nobody’s way: {entry.value ?? "who it is for"} may be contacted.</p>
      </ConfirmDialog>
    );
  if (asked === "erase")
    return (
      <ConfirmDialog
        title="Forget the value?"
        confirm="Keep only the hash"
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          await api.post(`${path}/erase`);
          done("Only the hash is kept now.");
        }}
      >
        <p>Value and reason are gone for good. The entry stays in effect.</p>
      </ConfirmDialog>
    );
  return (
    <Dialog title={entry.value ?? "An entry whose hash is kept"} onClose={onClose}>
      <dl class="facts">
        <dt>Kind</dt>
        <dd>{kindWords[entry.kind]}</dd>
        <dt>Holds for</dt>
        <dd>{entry.scope === "team" ? "Everybody of the team" : "You"}</dd>
        <dt>Reason</dt>
        <dd>{entry.reason ?? "–"}</dd>
        <dt>From</dt>
        <dd>{sourceWords[entry.source]}</dd>
        <dt>Since</dt>
        <dd>
          <DateTime at={entry.createdAt} />
        </dd>
        <dt>Hash</dt>
        <dd>
          <code>{entry.hash}</code>
        </dd>
      </dl>
      {mayRemove && (
        <footer class="buttons">
          {entry.value !== null && <Button onClick={() => setAsked("erase")}>Forget the value…</Button>}
          <Button onClick={() => setAsked("remove")}>Remove…</Button>
        </footer>
      )}
    </Dialog>
  );
}
