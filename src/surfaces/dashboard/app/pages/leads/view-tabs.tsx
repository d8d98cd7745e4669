import { useState } from "preact/hooks";
import type { SavedLeadViewView } from "../../../../../features/leads/views/model.ts";
import { api } from "../../api.ts";
import { here, Link, navigate } from "../../router.tsx";
import { can, session } from "../../session.ts";
import { isManager } from "../../team.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { Menu } from "../../ui/menu.tsx";
import { showError, showSuccess, showUndo } from "../../ui/toast.tsx";
import { columnsIn } from "./column-chooser.tsx";
import { defaultSort, filterBody, filtersIn } from "./lead-query.ts";

type ViewTabsProps = { views: readonly SavedLeadViewView[]; active: SavedLeadViewView | null; onChange: () => void };

/** Saved views of the list as tabs. What differs from the saved view can be saved in it, or as another one. */
export function ViewTabs({ views, active, onChange }: ViewTabsProps) {
  const [openDialog, setOpenDialog] = useState<"save" | "rename" | "delete" | null>(null);
  const { query } = here.value;
  const content = contentOf(query, active);
  const hasContent = Object.keys(content.filters).length > 0 || content.columns.length > 0;
  const isChanged = active === null ? hasContent : !isSame(content, active);
  const isOwn = active !== null && (isManager() || active.ownerId === session.value?.user?.id);
  const close = () => setOpenDialog(null);

  async function saveChanges(view: SavedLeadViewView) {
    try {
      await api.patch(`/leads/views/${view.id}`, content);
      onChange();
      navigate(pathOfView(view, content), { replace: true });
      showSuccess(`${view.name} saved.`);
    } catch (error) {
      showError(error);
    }
  }

  if (views.length === 0 && !(isChanged && can("leads:write"))) return null;
  return (
    <div class="view-tabs">
      <nav aria-label="Views" class="tabs">
        <Link to="/leads" {...(active === null && { "aria-current": "page" as const })}>
          All leads
        </Link>
        {views.map((view) => (
          <Link
            key={view.id}
            to={pathOfView(view)}
            {...(view.id === active?.id && { "aria-current": "page" as const })}
          >
            {view.name}
          </Link>
        ))}
      </nav>
      {can("leads:write") && (
        <div class="buttons">
          {isChanged && isOwn && <Button onClick={() => void saveChanges(active)}>Save changes</Button>}
          {isChanged && <Button onClick={() => setOpenDialog("save")}>Save as view…</Button>}
          {isOwn && (
            <Menu label="View">
              <button type="button" onClick={() => setOpenDialog("rename")}>
                Rename…
              </button>
              <button type="button" onClick={() => setOpenDialog("delete")}>
                Delete…
              </button>
            </Menu>
          )}
        </div>
      )}
      {openDialog === "save" && (
        <NameViewDialog
          title="Save view"
          name=""
          onClose={close}
          onSave={async (name) => {
            const saved = await api.post<SavedLeadViewView>("/leads/views", { name, ...content });
            onChange();
            navigate(pathOfView(saved), { replace: true });
          }}
        />
      )}
      {openDialog === "rename" && active && (
        <NameViewDialog
          title="Rename view"
          name={active.name}
          onClose={close}
          onSave={async (name) => {
            await api.patch(`/leads/views/${active.id}`, { name });
            onChange();
          }}
        />
      )}
      {openDialog === "delete" && active && (
        <ConfirmDialog
          title={`Delete the view ${active.name}?`}
          confirm="Delete view"
          onClose={close}
          onConfirm={async () => {
            const { id, name, filters, columns, sort } = active;
            await api.delete(`/leads/views/${id}`);
            onChange();
            navigate("/leads", { replace: true });
            showUndo(`${name} was deleted.`, async () => {
              const again = await api.post<SavedLeadViewView>("/leads/views", { name, filters, columns, sort });
              onChange();
              navigate(pathOfView(again), { replace: true });
            });
          }}
        >
          <p>The leads stay. The view disappears for all members of the workspace.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

type Content = { filters: Record<string, unknown>; columns: string[]; sort: string };

/** What would be saved now. */
function contentOf(query: URLSearchParams, active: SavedLeadViewView | null): Content {
  return {
    filters: filterBody(filtersIn(query)),
    columns: columnsIn(query) ?? active?.columns ?? [],
    sort: query.get("sort") ?? defaultSort,
  };
}

function isSame(content: Content, view: SavedLeadViewView): boolean {
  const ordered = (filters: Record<string, unknown>) =>
    JSON.stringify(Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return (
    content.sort === view.sort &&
    JSON.stringify(content.columns) === JSON.stringify(view.columns) &&
    ordered(content.filters) === ordered(view.filters)
  );
}

/** The list with the filters and the order of a view. */
export function pathOfView(
  view: SavedLeadViewView,
  { filters, sort }: Pick<Content, "filters" | "sort"> = view,
): string {
  const query = new URLSearchParams({ view: view.id });
  for (const [name, value] of Object.entries(filters))
    for (const each of [value].flat()) query.append(name, String(each));
  if (sort !== defaultSort) query.set("sort", sort);
  return `/leads?${query}`;
}

function NameViewDialog({
  title,
  name,
  onClose,
  onSave,
}: {
  title: string;
  name: string;
  onClose: () => void;
  onSave: (name: string) => Promise<void>;
}) {
  const form = useForm({ name }, async (values) => {
    await onSave(values.name);
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="All members of the workspace see the view."
          maxLength={100}
          autofocus
          required
        />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
