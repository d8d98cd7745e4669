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
import { tellError } from "../../ui/toast.tsx";
import { widestReach, type GivenPerson } from "./person.ts";
import { placeInWords } from "./place-words.ts";
import { ReachFields } from "./reach-fields.tsx";

type ErasePersonProps = {
  person: GivenPerson;
  name: string;
  onClose: () => void;
  /** The person is gone; also called when there was nothing of them. */
  onErased: () => void;
};

/** Erases one person. Tells first what goes and what stays, and then how far it is. */
export function ErasePersonDialog({ person, name, onClose, onErased }: ErasePersonProps) {
  const [reach, setReach] = useState(widestReach);
  const [suppress, setSuppress] = useState(true);
  const [isBusy, setIsBusy] = useState(false);
  const [jobId, setJobId] = useState<string | null>(null);
  const asked = { ...person, ...reach };
  const foreseen = useResource(
    async (signal) => ({
      of: reach,
      view: await api.post<ErasureView>("/privacy/erase", { ...asked, dryRun: true }, { signal }),
    }),
    [reach.scope, reach.follow],
  );

  async function erase() {
    setIsBusy(true);
    try {
      const { jobId: started } = await api.post<ErasureView>("/privacy/erase", { ...asked, suppress, dryRun: false });
      if (started === null) onErased();
      else setJobId(started);
    } catch (error) {
      tellError(error);
      setIsBusy(false);
    }
  }

  if (jobId !== null) return <ErasureDialog jobId={jobId} name={name} onClose={onClose} onErased={onErased} />;
  return (
    <Dialog title={`Erase ${name}?`} onClose={onClose}>
      <ReachFields reach={reach} onChange={setReach} />
      <Loaded resource={foreseen} lines={4}>
        {({ of, view }) => (of === reach ? <WhatGoes view={view} /> : <Skeleton lines={4} />)}
      </Loaded>
      <h3>What stays</h3>
      <ul class="bulleted">
        <li>
          <label class="inline-check">
            <input type="checkbox" checked={suppress} onChange={(event) => setSuppress(event.currentTarget.checked)} />{" "}
            Do not contact: hashes of the addresses, which nobody can read, so that no import brings the person back
          </label>
        </li>
        <li>That something was sent, without name and text: it goes on to count against the caps.</li>
        <li>In the audit log, that you erased somebody, with the hashes.</li>
        <li>
          Backups, for as long as you keep them; and what connectors and providers know themselves. Ask them, too.
        </li>
      </ul>
      <footer class="buttons">
        <Button onClick={onClose}>Keep the person</Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          disabled={foreseen.data?.of !== reach || foreseen.error !== null}
          onClick={() => void erase()}
        >
          Erase for good
        </Button>
      </footer>
    </Dialog>
  );
}

function WhatGoes({ view: { records, mentions, identifiers } }: { view: ErasureView }) {
  const { emails, profileUrls, phones } = identifiers;
  const known = [...emails, ...profileUrls, ...phones];
  const isNothing = Object.keys(records).length + Object.keys(mentions).length === 0;
  return (
    <div role="status" class="form">
      {known.length > 0 && <p class="faint clamped">Known by {known.join(", ")}.</p>}
      <h3>What goes</h3>
      {isNothing && <p>Nothing is stored about this person.</p>}
      <ul class="bulleted">
        {Object.entries(records).map(([place, entries]) => (
          <li key={place}>
            {placeInWords(place)}: {count(entries)}
          </li>
        ))}
        {Object.entries(mentions).map(([place, entries]) => (
          <li key={place}>
            {placeInWords(place)} about others: {count(entries)}, in which only the address is blotted out
          </li>
        ))}
      </ul>
      {!isNothing && <p>Actions that wait for the person are canceled. Nothing brings any of it back.</p>}
    </div>
  );
}

type ErasureDialogProps = { jobId: string } & Pick<ErasePersonProps, "name" | "onClose" | "onErased">;

function ErasureDialog({ jobId, name, onClose, onErased }: ErasureDialogProps) {
  const job = useJob(jobId);
  const isOver = job.data ? hasEnded(job.data) : false;
  return (
    <Dialog
      title={isOver && job.data?.status === "completed" ? `${name} is erased` : `Erasing ${name}`}
      onClose={isOver ? onErased : onClose}
    >
      <Loaded resource={job} lines={2}>
        {(loaded) =>
          loaded === null ? null : isOver ? (
            <p role="status">
              {loaded.status === "completed"
                ? `${counted(entriesOf(loaded.metadata), "entry", "entries")} erased, and overwritten on the disk.`
                : loaded.message}
            </p>
          ) : (
            <>
              <Progress label={loaded.message} percent={loaded.progress} />
              <p class="faint">You can close this. The server continues, and Home shows an alert if it fails.</p>
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
