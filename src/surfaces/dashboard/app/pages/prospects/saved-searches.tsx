import { useState } from "preact/hooks";
import type { SavedSearchView } from "../../../../../features/prospecting/model.ts";
import { api, getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { showSuccess, showError, showUndo } from "../../ui/toast.tsx";
import { setSearch, sourceLabels, type Search } from "./filters.ts";

/** Lists saved searches, and saves the current one under a name. */
export function SavedSearches({ search }: { search: Search }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Saved searches</Button>
      {isOpen && <SavedSearchDialog search={search} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function SavedSearchDialog({ search, onClose }: { search: Search; onClose: () => void }) {
  const saved = useResource(
    async (signal) => ({
      searches: await getAll<SavedSearchView>("/prospecting/searches", "searches", { query: { limit: 100 }, signal }),
    }),
    [],
  );
  const form = useForm({ name: "" }, async ({ name }) => {
    await api.post("/prospecting/searches", { name, ...search });
    showSuccess(`The search “${name}” was saved.`);
    form.reset({ name: "" });
    saved.reload();
  });
  async function remove({ id, name, filters, source }: SavedSearchView) {
    try {
      await api.delete(`/prospecting/searches/${id}`);
      showUndo(`“${name}” was deleted.`, async () => {
        await api.post("/prospecting/searches", { name, filters, source });
        saved.reload();
      });
      saved.reload();
    } catch (error) {
      showError(error);
    }
  }
  return (
    <Dialog title="Saved searches" onClose={onClose}>
      <Loaded resource={saved}>
        {({ searches }) =>
          searches.length === 0 ? (
            <p class="faint">No saved searches yet. Set filters, then save the search.</p>
          ) : (
            <ul class="saved-list">
              {searches.map((one) => (
                <li key={one.id}>
                  <button
                    type="button"
                    class="link"
                    onClick={() => {
                      setSearch({ filters: one.filters, source: one.source });
                      onClose();
                    }}
                  >
                    {one.name}
                  </button>
                  <span class="faint small">{sourceLabels[one.source]}</span>
                  <Button
                    kind="quiet"
                    icon="close"
                    aria-label={`Delete ${one.name}`}
                    onClick={() => void remove(one)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField form={form} name="name" label="Save current search as" maxLength={200} required />
        <footer class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Save search
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
