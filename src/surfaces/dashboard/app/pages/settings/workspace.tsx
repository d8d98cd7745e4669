import type { WorkspaceView } from "../../../../../features/workspaces/model.ts";
import { api } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { session } from "../../session.ts";
import { isManager } from "../../team.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { showSuccess } from "../../ui/toast.tsx";

/** Name and time zone of the workspace. */
export function WorkspaceSettings() {
  const id = session.value?.workspace.id ?? "";
  const workspace = useResource((signal) => api.get<WorkspaceView>(`/workspaces/${id}`, { signal }), [id]);
  return <Loaded resource={workspace}>{(loaded) => <WorkspaceForm key={loaded.id} workspace={loaded} />}</Loaded>;
}

function WorkspaceForm({ workspace: { id, name, timeZone } }: { workspace: WorkspaceView }) {
  const form = useForm({ name, timeZone }, async (values) => {
    const saved = await api.put<WorkspaceView>(`/workspaces/${id}`, values);
    const { value } = session;
    if (value !== null) session.value = { ...value, workspace: { ...value.workspace, name: saved.name } };
    showSuccess("Saved.");
  });
  return (
    <form class="form card narrow" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <TextField form={form} name="name" label="Name" maxLength={200} disabled={!isManager()} required />
      <TimeZoneField form={form} hint="Default for new members." />
      <p class="faint">
        ID: <code>{id}</code>
      </p>
      {isManager() && (
        <div class="buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}
