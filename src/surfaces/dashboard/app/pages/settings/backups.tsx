import { useState } from "preact/hooks";
import type { BackupList as Backups, BackupRunView, BackupView } from "../../../../../features/backup/model.ts";
import { api, downloadUrl } from "../../api.ts";
import { counted, fileSize } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Progress } from "../../ui/meter.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { DateTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";

/** Backups of all data of the server, for admins. */
export function BackupList() {
  const [removed, setRemoved] = useState<BackupView | null>(null);
  const [isStarting, setIsStarting] = useState(false);
  const [isRunning, setIsRunning] = useState(false);
  const list = useResource(
    async (signal) => {
      const loaded = await api.get<Backups>("/backups", { signal });
      setIsRunning(loaded.running !== null);
      return loaded;
    },
    [],
    { pollMs: isRunning ? 500 : 15_000, events: ["backup."] },
  );
  const { data } = list;

  async function start() {
    setIsStarting(true);
    try {
      await api.post<BackupRunView>("/backups");
      list.reload();
    } catch (error) {
      showError(error);
    } finally {
      setIsStarting(false);
    }
  }

  const columns: readonly Column<BackupView>[] = [
    { id: "at", header: "Created", cell: ({ createdAt }) => <DateTime at={createdAt} /> },
    { id: "bytes", header: "Size", align: "right", cell: ({ bytes }) => fileSize(bytes) },
    {
      id: "name",
      header: "File",
      hideBelow: "medium",
      cell: ({ name }) => <code>{name}</code>,
    },
    {
      id: "isOwn",
      header: "Server",
      hideBelow: "medium",
      cell: ({ isOwn }) => (isOwn ? "This server" : <span class="faint">Other or unknown</span>),
    },
    {
      id: "actions",
      header: "",
      align: "right",
      cell: (backup) => (
        <span class="buttons end">
          <a class="button plain" href={downloadUrl(`/backups/${backup.name}/download`)} download>
            Download
          </a>
          {can("backups:write") && (
            <Button kind="quiet" icon="close" aria-label={`Delete ${backup.name}`} onClick={() => setRemoved(backup)} />
          )}
        </span>
      ),
    },
  ];

  return (
    <>
      <div class="part-head">
        <p class="faint">{data && describeSettings(data)}</p>
        {can("backups:write") && (
          <Button kind="primary" isBusy={isStarting || isRunning} onClick={() => void start()}>
            Create backup
          </Button>
        )}
      </div>
      {data?.running && (
        <div class="card job-card">
          <Progress label={data.running.message} percent={data.running.progress} />
        </div>
      )}
      {data && data.problem !== null && (
        <p class="notice danger" role="alert">
          {data.problem}
        </p>
      )}
      {data?.last && data.running === null && <LastRun run={data.last} />}
      {list.error && data === undefined ? (
        <ErrorState error={list.error} retry={list.reload} />
      ) : (
        <DataTable
          label="Backups"
          columns={columns}
          rows={data?.backups}
          rowKey={({ name }) => name}
          isLoading={list.isLoading && data === undefined}
          isStacked
          empty={
            <EmptyState icon="download" title={data?.problem ? "Backups unavailable" : "No backups yet"}>
              <p>A backup contains the database and all files. The server keeps running while it is created.</p>
            </EmptyState>
          }
        />
      )}
      {removed !== null && (
        <ConfirmDialog
          title="Delete this backup?"
          confirm="Delete backup"
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await api.delete(`/backups/${removed.name}`);
            showSuccess("The backup was deleted.");
            list.reload();
          }}
        >
          <p>{removed.name} is permanently deleted.</p>
          {!removed.isOwn && <p>This backup may belong to another server.</p>}
        </ConfirmDialog>
      )}
    </>
  );
}

function describeSettings({ place, schedule, keep }: Backups): string {
  const when =
    schedule === null ? "Backups are created only on demand" : `Backups are created on the schedule ${schedule} (UTC)`;
  return `${when}, in ${place}. The newest ${keep} of this server are kept. They contain the data of all users.`;
}

function LastRun({ run: { status, message, missing } }: { run: BackupRunView }) {
  if (status === "failed")
    return (
      <p class="notice danger" role="alert">
        The last backup failed: {message}
      </p>
    );
  if (missing.length === 0) return null;
  return (
    <p class="notice warn">
      The last backup is missing {counted(missing.length, "file")} deleted or changed while it was created.
    </p>
  );
}
