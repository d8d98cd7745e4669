import { useState } from "preact/hooks";
import type { ErasureView } from "../../../../../features/privacy/model.ts";
import { api } from "../../api.ts";
import { count, counted } from "../../format.ts";
import { hasEnded, useJob } from "../../job.ts";
import { useResource } from "../../resource.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Progress } from "../../ui/meter.tsx";
import { Loaded, Skeleton } from "../../ui/states.tsx";
import { showError } from "../../ui/toast.tsx";
import { widestReach, type GivenPerson } from "./person.ts";
import { placeLabel } from "./place-labels.ts";
import { ReachFields } from "./reach-fields.tsx";

type ErasePersonProps = {
  person: GivenPerson;
  name: string;
  onClose: () => void;
  /** Called after the person was erased, or if nothing was stored about them. */
  onErased: () => void;
};

/** Erases a person. First shows what is deleted and what stays, then the progress. */
export function ErasePersonDialog({ person, name, onClose, onErased }: ErasePersonProps) {
  const [reach, setReach] = useState(widestReach);
  const [suppress, setSuppress] = useState(true);
  const [isBusy, setIsBusy] = useState(false);
  const [jobId, setJobId] = useState<string | null>(null);
  const input = { ...person, ...reach };
  const forecast = useResource(
    async (signal) => ({
      of: reach,
      view: await api.post<ErasureView>("/privacy/erase", { ...input, dryRun: true }, { signal }),
    }),
    [reach.scope, reach.follow],
  );

  async function erase() {
    setIsBusy(true);
    try {
      const { jobId: started } = await api.post<ErasureView>("/privacy/erase", { ...input, suppress, dryRun: false });
      if (started === null) onErased();
      else setJobId(started);
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }

  if (jobId !== null) return <ErasureDialog jobId={jobId} name={name} onClose={onClose} onErased={onErased} />;
  return (
    <Dialog title={`Erase ${name}?`} onClose={onClose}>
      <ReachFields reach={reach} onChange={setReach} />
      <Loaded resource={forecast} lines={4}>
        {({ of, view }) => (of === reach ? <DeletedRecords view={view} /> : <Skeleton lines={4} />)}
      </Loaded>
      <h3>What stays</h3>
      <ul class="bulleted">
        <li>
          <label class="inline-check">
            <input type="checkbox" checked={suppress} onChange={(event) => setSuppress(event.currentTarget.checked)} />{" "}
            Entries on the do-not-contact list, as unreadable hashes, so that the person cannot be imported again
          </label>
        </li>
        <li>The fact that actions were sent, without name and text. They still count toward the caps.</li>
        <li>An entry in the audit log that you erased a person, with the hashes.</li>
        <li>
          Backups, until you delete them, and the data that connectors and providers store. Request its deletion there,
          too.
        </li>
      </ul>
      <footer class="buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          disabled={forecast.data?.of !== reach || forecast.error !== null}
          onClick={() => void erase()}
        >
          Erase permanently
        </Button>
      </footer>
    </Dialog>
  );
}

function DeletedRecords({ view: { records, mentions, identifiers } }: { view: ErasureView }) {
  const { emails, profileUrls, phones } = identifiers;
  const known = [...emails, ...profileUrls, ...phones];
  const isNothing = Object.keys(records).length + Object.keys(mentions).length === 0;
  return (
    <div role="status" class="form">
      {known.length > 0 && <p class="faint clamped">Identified by {known.join(", ")}.</p>}
      <h3>What is deleted</h3>
      {isNothing && <p>Nothing is stored about this person.</p>}
      <ul class="bulleted">
        {Object.entries(records).map(([place, entries]) => (
          <li key={place}>
            {placeLabel(place)}: {count(entries)}
          </li>
        ))}
        {Object.entries(mentions).map(([place, entries]) => (
          <li key={place}>
            {placeLabel(place)} about others: {count(entries)}. Only the address is redacted.
          </li>
        ))}
      </ul>
      {!isNothing && <p>Pending actions for the person are canceled. This cannot be undone.</p>}
    </div>
  );
}

type ErasureDialogProps = { jobId: string } & Pick<ErasePersonProps, "name" | "onClose" | "onErased">;

function ErasureDialog({ jobId, name, onClose, onErased }: ErasureDialogProps) {
  const job = useJob(jobId);
  const isOver = job.data ? hasEnded(job.data) : false;
  return (
    <Dialog
      title={isOver && job.data?.status === "completed" ? `${name} was erased` : `Erasing ${name}`}
      onClose={isOver ? onErased : onClose}
    >
      <Loaded resource={job} lines={2}>
        {(loaded) =>
          loaded === null ? null : isOver ? (
            <p role="status">
              {loaded.status === "completed"
                ? `${counted(entriesOf(loaded.metadata), "entry", "entries")} erased and overwritten on disk.`
                : loaded.message}
            </p>
          ) : (
            <>
              <Progress label={loaded.message} percent={loaded.progress} />
              <p class="faint">
                You can close this dialog. The erasure continues, and Home shows an alert if it fails.
              </p>
            </>
          )
        }
      </Loaded>
      <footer class="buttons">
        <Button kind="primary" onClick={isOver ? onErased : onClose}>
          Close
        </Button>
      </footer>
    </Dialog>
  );
}

function entriesOf({ records }: Record<string, unknown>): number {
  return Object.values((records ?? {}) as Record<string, number>).reduce((sum, entries) => sum + entries, 0);
}
