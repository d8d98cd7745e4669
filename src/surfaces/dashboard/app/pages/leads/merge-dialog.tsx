import { useState } from "preact/hooks";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";
import { oneAtATime } from "../../one-at-a-time.ts";
import { nameOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { showError, showSuccess } from "../../ui/toast.tsx";
import type { LeadPage } from "./lead-query.ts";

type MergeDialogProps = { lead: LeadView; onClose: () => void; onMerged: () => void };

/** Finds another lead of the same person, and merges it into this one. */
export function MergeDialog({ lead, onClose, onMerged }: MergeDialogProps) {
  const [text, setText] = useState([lead.firstName, lead.lastName].filter(Boolean).join(" "));
  const [other, setOther] = useState<LeadView | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [inTurn] = useState(oneAtATime);
  const query = { q: text.trim(), limit: 8, sort: "-updatedAt" };
  const found = useResource(
    inTurn((signal) => api.get<LeadPage>("/leads", { query, signal })),
    [text.trim()],
  );

  async function merge(gone: LeadView) {
    setIsBusy(true);
    try {
      await api.post(`/leads/${lead.id}/merge`, { otherId: gone.id });
      showSuccess(`${nameOf(gone)} was merged into ${nameOf(lead)}.`);
      onMerged();
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }

  if (other !== null)
    return (
      <Dialog title={`Merge into ${nameOf(lead)}?`} onClose={onClose}>
        <p>
          <strong>{nameOf(other)}</strong> ({describe(other)}) disappears. Its actions, campaigns, conversations, and
          history move to {nameOf(lead)}, and so does what {nameOf(lead)} lacks. This cannot be undone.
        </p>
        <footer class="buttons">
          <Button onClick={() => setOther(null)}>Back</Button>
          <Button kind="danger" isBusy={isBusy} onClick={() => void merge(other)}>
            Merge
          </Button>
        </footer>
      </Dialog>
    );
  return (
    <Dialog title={`Merge with ${nameOf(lead)}`} onClose={onClose}>
      <Field label="Other lead">
        {(control) => (
          <input
            {...control}
            type="text"
            autofocus
            maxLength={300}
            placeholder="Name, email, company, title…"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <Loaded resource={found} lines={3}>
        {({ leads }) => {
          const others = leads.filter(({ id }) => id !== lead.id);
          return others.length === 0 ? (
            <p class="faint">No other lead found.</p>
          ) : (
            <ul class="plain-list">
              {others.map((each) => (
                <li key={each.id}>
                  <button type="button" class="link" onClick={() => setOther(each)}>
                    {nameOf(each)}
                  </button>
                  <span class="faint small">{describe(each)}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

function describe({ email, title, company, networkUrl }: LeadView): string {
  return [title, company, email ?? networkUrl].filter(Boolean).join(" · ");
}
