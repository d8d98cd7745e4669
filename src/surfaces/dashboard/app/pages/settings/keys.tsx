import { useState } from "preact/hooks";
import type { KeyView, NewKeyView } from "../../../../../platform/auth/key-model.ts";
import { getAll } from "../../api.ts";
import { now } from "../../clock.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { can, session } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { DateTime, RelativeTime } from "../../ui/time.tsx";
import { EditKeyDialog } from "./edit-key.tsx";
import { NewKeyDialog, SecretDialog } from "./new-key.tsx";

/** API keys, with their permissions and last use. */
export function KeyList() {
  const [openDialog, setOpenDialog] = useState<"new" | KeyView | null>(null);
  const [made, setMade] = useState<NewKeyView | null>(null);
  const keys = useResource(async (signal) => ({ keys: await getAll<KeyView>("/keys", "keys", { signal }) }), [], {
    pollMs: 30_000,
    events: ["key."],
  });
  const canWrite = can("api_keys:write") || can("keys:manage");

  const columns: readonly Column<KeyView>[] = [
    {
      id: "name",
      header: "Name",
      cell: (key) => (
        <span class="two-lines">
          {canWrite ? (
            <button type="button" class="link" onClick={() => setOpenDialog(key)}>
              {key.name}
            </button>
          ) : (
            <span>{key.name}</span>
          )}
          <span>
            <code>{key.hint}</code>
          </span>
        </span>
      ),
    },
    { id: "state", header: "State", cell: (key) => <KeyState apiKey={key} /> },
    {
      id: "permissions",
      header: "Permissions",
      hideBelow: "small",
      cell: ({ permissions, requiresApproval, rateLimits, allowedNetworks }) =>
        [
          permissions.includes("*") ? "All" : count(permissions.length),
          ...(requiresApproval ? ["requires approval"] : []),
          ...(allowedNetworks === null ? [] : ["some networks"]),
          ...(rateLimits === null ? [] : ["rate limited"]),
        ].join(", "),
    },
    {
      id: "used",
      header: "Last used",
      hideBelow: "medium",
      cell: ({ last_used_at: at }) => (at === null ? <span class="faint">Never</span> : <RelativeTime at={at} />),
    },
    {
      id: "uses",
      header: "Requests",
      align: "right",
      hideBelow: "large",
      cell: ({ usageCount }) => count(usageCount),
    },
    {
      id: "expires",
      header: "Expires",
      hideBelow: "large",
      cell: ({ expires_at: at }) => (at === null ? <span class="faint">Never</span> : <DateTime at={at} />),
    },
  ];

  return (
    <>
      <div class="part-head">
        <p class="faint">
          You and your programs sign in with API keys. Create one for each program, with only the permissions it needs.
        </p>
        {canWrite && (
          <Button kind="primary" icon="plus" onClick={() => setOpenDialog("new")}>
            Create key
          </Button>
        )}
      </div>
      <DataTable
        label="API keys"
        isStacked
        columns={columns}
        rows={keys.data?.keys}
        rowKey={({ id }) => id}
        error={keys.error}
        retry={keys.reload}
        isLoading={keys.isLoading}
        empty={
          <EmptyState icon="settings" title="No keys">
            <p>Create a key for each program that uses the API.</p>
          </EmptyState>
        }
      />
      {openDialog === "new" && (
        <NewKeyDialog
          onClose={() => setOpenDialog(null)}
          onMade={(key) => {
            setOpenDialog(null);
            setMade(key);
            keys.reload();
          }}
        />
      )}
      {openDialog !== null && openDialog !== "new" && (
        <EditKeyDialog
          apiKey={openDialog}
          onClose={() => setOpenDialog(null)}
          onChanged={keys.reload}
          onSecret={(key) => {
            setOpenDialog(null);
            setMade(key);
            keys.reload();
          }}
        />
      )}
      {made !== null && <SecretDialog made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function KeyState({ apiKey: { id, isActive, expires_at: expiresAt } }: { apiKey: KeyView }) {
  if (!isActive) return <Badge>Disabled</Badge>;
  if (expiresAt !== null && Date.parse(expiresAt) <= now()) return <Badge tone="bad">Expired</Badge>;
  return id === session.value?.key.id ? <Badge tone="info">Current session</Badge> : <Badge tone="good">Active</Badge>;
}
