import type { WorkspaceView } from "../../../features/workspaces/model.ts";
import { getAll, sessionApi } from "./api.ts";
import { basePath } from "./base-path.ts";
import { useResource } from "./resource.ts";
import { can, session } from "./session.ts";
import { showError } from "./ui/toast.tsx";

/** The name of the workspace; a choice for people who have several. */
export function WorkspaceSwitcher() {
  const current = session.value?.workspace;
  const isAsked = can("users:read");
  const { data } = useResource(
    async (signal) => ({
      workspaces: isAsked ? await getAll<WorkspaceView>("/workspaces", "workspaces", { signal, priority: "low" }) : [],
    }),
    [isAsked],
  );
  const workspaces = data?.workspaces ?? [];

  async function choose(id: string) {
    try {
      await sessionApi.switchTo(id);
      // Loads the page again, so that nothing of the other workspace stays in memory.
      location.assign(`${basePath}/`);
    } catch (error) {
      showError(error);
    }
  }

  if (current === undefined) return null;
  // The name of a workspace of one's own is one's own name, which stands below.
  const isOwn = current.name === session.value?.user.name || current.name === session.value?.user.email;
  if (workspaces.length < 2) return isOwn ? null : <p class="workspace">{current.name}</p>;
  return (
    <label class="workspace">
      <span class="visually-hidden">Workspace</span>
      <select value={current.id} onChange={(event) => void choose(event.currentTarget.value)}>
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
