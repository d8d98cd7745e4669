import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SnippetView } from "../../../../../features/inbox/model.ts";
import { api, getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states.tsx";
import { showError, showSuccess } from "../../ui/toast.tsx";

/** As the API limits it. */
const maxNameLength = 80;

type Shown =
  | { kind: "list" }
  | { kind: "form"; snippet: SnippetView | null }
  | { kind: "delete"; snippet: SnippetView };

const titles = { list: "Snippets", form: "Snippet", delete: "Delete this snippet?" } as const;

/** Lists, creates, edits, and deletes the texts for replies that the workspace shares. */
export function SnippetsDialog({ onClose }: { onClose: () => void }) {
  const snippets = useResource((signal) => getAll<SnippetView>("/inbox/snippets", "snippets", { signal }), []);
  const [shown, setShown] = useState<Shown>({ kind: "list" });
  const toList = () => setShown({ kind: "list" });
  const afterChange = () => {
    snippets.reload();
    toList();
  };
  const content = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  // What had the focus is gone, and keys that follow are for what is shown now. At first, the dialog has set it.
  useLayoutEffect(() => {
    if (!isFirst.current) content.current?.querySelector<HTMLElement>("input, button")?.focus();
    isFirst.current = false;
  }, [shown]);
  const { data, error, reload } = snippets;
  const title = shown.kind === "form" && shown.snippet === null ? "New snippet" : titles[shown.kind];
  return (
    <Dialog title={title} onClose={shown.kind === "list" ? onClose : toList}>
      <div ref={content} class="snippets-dialog">
        {shown.kind === "form" && <SnippetForm snippet={shown.snippet} onBack={toList} onSaved={afterChange} />}
        {shown.kind === "delete" && <Deletion snippet={shown.snippet} onBack={toList} onDeleted={afterChange} />}
        {shown.kind === "list" && error !== null && <ErrorState error={error} retry={reload} />}
        {shown.kind === "list" && error === null && data === undefined && <Skeleton lines={4} />}
        {shown.kind === "list" && data !== undefined && <List snippets={data} show={setShown} />}
      </div>
    </Dialog>
  );
}

function List({ snippets, show }: { snippets: readonly SnippetView[]; show: (shown: Shown) => void }) {
  const mayChange = can("network:schedule");
  const create = mayChange && (
    <Button kind="primary" icon="plus" onClick={() => show({ kind: "form", snippet: null })}>
      New snippet
    </Button>
  );
  if (snippets.length === 0)
    return (
      <EmptyState icon="inbox" title="No snippets yet">
        <p>A snippet is a text for replies that all members of the workspace share.</p>
        {create}
      </EmptyState>
    );
  return (
    <>
      <ul class="snippets">
        {snippets.map((snippet) => (
          <li key={snippet.id}>
            <div>
              <strong>{snippet.name}</strong>
              <p class="faint" dir="auto">
                {snippet.text}
              </p>
            </div>
            {mayChange && (
              <span class="buttons">
                <Button
                  kind="quiet"
                  aria-label={`Edit ${snippet.name}`}
                  onClick={() => show({ kind: "form", snippet })}
                >
                  Edit
                </Button>
                <Button
                  kind="quiet"
                  aria-label={`Delete ${snippet.name}`}
                  onClick={() => show({ kind: "delete", snippet })}
                >
                  Delete
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      <footer class="buttons">{create}</footer>
    </>
  );
}

type FormProps = { snippet: SnippetView | null; onBack: () => void; onSaved: () => void };

function SnippetForm({ snippet, onBack, onSaved }: FormProps) {
  const form = useForm({ name: snippet?.name ?? "", text: snippet?.text ?? "" }, async (values) => {
    if (snippet === null) await api.post("/inbox/snippets", values);
    else await api.patch(`/inbox/snippets/${snippet.id}`, values);
    showSuccess(snippet === null ? "Snippet created." : "Snippet saved.");
    onSaved();
  });
  return (
    <form onSubmit={form.onSubmit} class="form">
      <FormError form={form} />
      <TextField form={form} name="name" label="Name" maxLength={maxNameLength} />
      <TextArea
        form={form}
        name="text"
        label="Text"
        hint="Can contain variables of the lead, with a fallback: {{firstName|there}}, {{company|your company}}."
        rows={6}
        maxLength={8000}
      />
      <footer class="buttons">
        <Button onClick={onBack}>Back</Button>
        <Button kind="primary" type="submit" isBusy={form.isBusy}>
          {snippet === null ? "Create" : "Save"}
        </Button>
      </footer>
    </form>
  );
}

type DeletionProps = { snippet: SnippetView; onBack: () => void; onDeleted: () => void };

function Deletion({ snippet, onBack, onDeleted }: DeletionProps) {
  const [isBusy, setIsBusy] = useState(false);
  async function remove(): Promise<void> {
    setIsBusy(true);
    try {
      await api.delete(`/inbox/snippets/${snippet.id}`);
      showSuccess("Snippet deleted.");
      onDeleted();
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }
  return (
    <>
      <p>
        <strong>{snippet.name}</strong> is deleted for all members of the workspace. Messages that were sent with it
        stay.
      </p>
      <footer class="buttons">
        <Button onClick={onBack}>Back</Button>
        <Button kind="danger" isBusy={isBusy} onClick={() => void remove()}>
          Delete
        </Button>
      </footer>
    </>
  );
}
