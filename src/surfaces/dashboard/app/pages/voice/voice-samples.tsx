import { useState } from "preact/hooks";
import type { CloneDetailView, CloneView } from "../../../../../features/voice/model.ts";
import { api } from "../../api.ts";
import { fileSize } from "../../format.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { Player } from "./player.tsx";
import { SampleReport } from "./quality.tsx";
import { SamplePicker } from "./sample-picker.tsx";
import { formOf, maxSamples } from "./labels.ts";

type VoiceSamplesProps = { voice: CloneDetailView; path: string; onChanged: () => void };

/** The recordings of a voice, to play, add, and remove. */
export function VoiceSamples({ voice, path, onChanged }: VoiceSamplesProps) {
  const [removed, setRemoved] = useState<{ id: string; name: string } | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const { samples } = voice;
  const canChange = can("voice:update");
  return (
    <>
      <ul class="samples" aria-label="Recordings of the voice">
        {samples.map(({ sampleId, fileName, bytes, format, hasOriginal, quality }) => (
          <li key={sampleId} class="card sample">
            <div class="sample-head">
              <span class="two-lines">
                <span>{fileName}</span>
                <span>
                  {fileSize(bytes)} · {format}
                  {!hasOriginal && " · deleted after training"}
                </span>
              </span>
              <div class="buttons">
                {hasOriginal && (
                  <Player
                    label={fileName}
                    load={async () => (await api.answer("GET", `${path}/samples/${sampleId}/audio`)).blob()}
                  />
                )}
                {canChange && samples.length > 1 && (
                  <Button
                    kind="quiet"
                    icon="close"
                    aria-label={`Remove ${fileName}`}
                    onClick={() => setRemoved({ id: sampleId, name: fileName })}
                  />
                )}
              </div>
            </div>
            {quality === null ? <p class="faint small">Not checked yet.</p> : <SampleReport quality={quality} />}
          </li>
        ))}
      </ul>
      {canChange && samples.length < maxSamples && (
        <div class="buttons">
          <Button icon="plus" onClick={() => setIsAdding(true)}>
            Add recordings
          </Button>
        </div>
      )}
      {isAdding && (
        <AddSamplesDialog
          path={path}
          room={maxSamples - samples.length}
          onClose={() => setIsAdding(false)}
          onAdded={onChanged}
        />
      )}
      {removed !== null && (
        <ConfirmDialog
          title={`Remove ${removed.name}?`}
          confirm="Remove and retrain"
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await api.delete(`${path}/samples/${removed.id}`);
            showSuccess("Recording removed. Retraining started.");
            onChanged();
          }}
        >
          <p>The recording is deleted and the voice is retrained. The current version stays in use until it is done.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function AddSamplesDialog({
  path,
  room,
  onClose,
  onAdded,
}: {
  path: string;
  room: number;
  onClose: () => void;
  onAdded: () => void;
}) {
  const [files, setFiles] = useState<File[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  async function add() {
    setIsBusy(true);
    try {
      await api.post<CloneView>(`${path}/samples`, formOf(files));
      showSuccess("Recordings added. Retraining started.");
      onAdded();
      onClose();
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }
  return (
    <Dialog title="Add recordings" onClose={onClose} isWide>
      <SamplePicker files={files} onChange={setFiles} room={room} />
      <footer class="buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={isBusy} disabled={files.length === 0} onClick={() => void add()}>
          Add and retrain
        </Button>
      </footer>
    </Dialog>
  );
}
