import { useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { tell, tellError } from "../../ui/toast.tsx";
import { downloadPerson, widestReach, type GivenPerson } from "./person.ts";
import { ReachFields } from "./reach-fields.tsx";

type ExportPersonProps = { person: GivenPerson; name: string; onClose: () => void };

/** Hands out all that is stored about one person, for them to see. */
export function ExportPersonDialog({ person, name, onClose }: ExportPersonProps) {
  const [reach, setReach] = useState(widestReach);
  const [isBusy, setIsBusy] = useState(false);
  async function download() {
    setIsBusy(true);
    try {
      await downloadPerson(person, reach);
      tell(`What is stored about ${name} was downloaded.`);
      onClose();
    } catch (error) {
      tellError(error);
      setIsBusy(false);
    }
  }
  return (
    <Dialog title={`Export ${name}`} onClose={onClose}>
      <p>
        One file (JSON) with everything that is stored about this person: leads, prospects, what was found out, what was
        sent and what is planned. It also says what it can’t hold. The audit log notes that you asked.
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
