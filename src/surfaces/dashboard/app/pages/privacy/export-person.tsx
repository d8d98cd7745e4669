import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { downloadPerson, widestReach, type GivenPerson } from "./person.ts";
import { ReachFields } from "./reach-fields.tsx";

type ExportPersonProps = { person: GivenPerson; name: string; onClose: () => void };

/** Exports all data stored about a person. */
export function ExportPersonDialog({ person, name, onClose }: ExportPersonProps) {
  const [reach, setReach] = useState(widestReach);
  const [isBusy, setIsBusy] = useState(false);
  async function download() {
    setIsBusy(true);
    try {
      await downloadPerson(person, reach);
      showSuccess(`The data of ${name} was downloaded.`);
      onClose();
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }
  return (
    <Dialog title={`Export ${name}`} onClose={onClose}>
      <p>
        Downloads one JSON file with all data stored about this person: leads, prospects, enrichment results, and past
        and scheduled actions. It also lists what it cannot include. The export is recorded in the audit log.
      </p>
      <ReachFields reach={reach} onChange={setReach} />
      <footer class="buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" icon="download" isBusy={isBusy} onClick={() => void download()}>
          Download
        </Button>
      </footer>
    </Dialog>
  );
}
