import { useId } from "preact/hooks";
import type { LeadValues } from "../../../../../features/leads/value-model.ts";
import { api } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField, useForm } from "../../ui/form.tsx";

/** A list is the tag `list:NAME`. */
export const listPrefix = "list:";

export type NamedChange = "addTag" | "removeTag" | "addToList" | "removeFromList";

const texts = {
  addTag: { title: "Add a tag to", label: "Tag", button: "Add tag", field: "tag", doing: "Tagging" },
  removeTag: { title: "Remove a tag from", label: "Tag", button: "Remove tag", field: "tag", doing: "Removing tag" },
  addToList: { title: "Add to a list:", label: "List", button: "Add to list", field: "list", doing: "Adding" },
  removeFromList: {
    ...{ title: "Remove from a list:", label: "List", button: "Remove from list" },
    ...{ field: "list", doing: "Removing" },
  },
} as const;

type NameDialogProps = {
  change: NamedChange;
  size: number;
  onClose: () => void;
  onChange: (doing: string, done: string, change: object) => void;
};

/** Asks for the tag or list, and suggests those that leads have. */
export function NameDialog({ change, size, onClose, onChange }: NameDialogProps) {
  const { title, label, button, field, doing } = texts[change];
  const form = useForm({ name: "" }, async ({ name }) => {
    const given = name.trim();
    if (given === "") return;
    const tag = field === "list" ? listPrefix + given : given;
    const isAdded = change === "addTag" || change === "addToList";
    const done = { addTag: "tagged", removeTag: "untagged", addToList: "added to", removeFromList: "removed from" };
    onChange(doing, `${done[change]} ${given}`, isAdded ? { addTags: [tag] } : { removeTags: [tag] });
  });
  const { name } = form.values;
  const known = useResource(
    (signal) => api.get<LeadValues>("/leads/values", { query: { field, contains: name.trim() }, signal }),
    [name.trim()],
  );
  const list = useId();
  return (
    <Dialog title={`${title} ${counted(size, "lead")}`} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <TextField
          form={form}
          name="name"
          label={label}
          maxLength={field === "list" ? 100 - listPrefix.length : 100}
          list={list}
          autofocus
          required
        />
        <datalist id={list}>
          {known.data?.values.map(({ value }) => (
            <option key={value} value={value} />
          ))}
        </datalist>
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            {button}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** More leads are deleted only by those who type their number. */
const mostDeletedAtOnce = 100;

export function DeleteLeadsDialog({
  size,
  onClose,
  onDelete,
}: {
  size: number;
  onClose: () => void;
  onDelete: () => void;
}) {
  const isMany = size > mostDeletedAtOnce;
  const form = useForm({ typed: "" }, async () => {
    if (isConfirmed) onDelete();
  });
  const isConfirmed = !isMany || form.values.typed.replaceAll(/\D/g, "") === String(size);
  return (
    <Dialog title={`Delete ${counted(size, "lead")}?`} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <p>The leads are permanently deleted, with their notes and tags. Their pending actions are not executed.</p>
        {isMany && <TextField form={form} name="typed" label={`Type ${count(size)} to confirm`} autofocus required />}
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={!isConfirmed}>
            Delete {counted(size, "lead")}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
