import type { OpenSessionView } from "../../../../../features/workspaces/sessions/model.ts";
import { api, getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Section } from "../../ui/page.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showError, showSuccess } from "../../ui/toast.tsx";

/** The browsers in which the user is signed in, in all workspaces. */
export function SessionList() {
  const sessions = useResource(
    async (signal) => ({ sessions: await getAll<OpenSessionView>("/sessions", "sessions", { signal }) }),
    [],
  );
  const all = sessions.data?.sessions;

  async function end(path: string, done: string) {
    try {
      await api.delete(path);
      showSuccess(done);
      sessions.reload();
    } catch (error) {
      showError(error);
    }
  }

  const columns: readonly Column<OpenSessionView>[] = [
    {
      id: "browser",
      header: "Browser",
      cell: ({ userAgent, address, isCurrent }) => (
        <span class="two-lines">
          <span class="badges">
            {browserOf(userAgent)} {isCurrent && <Badge tone="info">This browser</Badge>}
          </span>
          <span>{address}</span>
        </span>
      ),
    },
    { id: "key", header: "Key", hideBelow: "medium", cell: ({ keyName }) => keyName },
    { id: "used", header: "Last used", cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} /> },
    { id: "since", header: "Signed in", hideBelow: "small", cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    {
      id: "end",
      header: "",
      align: "right",
      cell: ({ id, isCurrent }) =>
        !isCurrent && (
          <Button kind="quiet" onClick={() => void end(`/sessions/${id}`, "Signed out there.")}>
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <Section title="Sessions">
      <DataTable
        label="Sessions"
        columns={columns}
        rows={all}
        rowKey={({ id }) => id}
        error={sessions.error}
        retry={sessions.reload}
        isLoading={sessions.isLoading}
        empty={null}
      />
      {all !== undefined && all.length > 1 && (
        <div class="buttons below">
          <Button onClick={() => void end("/sessions", "Signed out everywhere else.")}>Sign out everywhere else</Button>
        </div>
      )}
    </Section>
  );
}

/** "Firefox on Linux", from a User-Agent. */
export function browserOf(userAgent: string | null): string {
  const find = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  const browser = find([
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/Safari\//, "Safari"],
  ]);
  const system = find([
    [/iPhone|iPad/, "iOS"],
    [/Android/, "Android"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "macOS"],
    [/Linux/, "Linux"],
  ]);
  if (browser === undefined) return userAgent?.slice(0, 60) ?? "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
