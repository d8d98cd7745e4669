import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { guardLeaving } from "../../../router.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";

/**
 * Asks before unsaved work is lost: by a link, the Back button, another tab of the page, or by closing the window.
 * `onSave` resolves to whether it was saved. `isSaved`: everything has been saved, even if that is not rendered yet.
 */
export function LeaveGuard({
  isDirty,
  isSaved,
  onSave,
}: {
  isDirty: boolean;
  isSaved: RefObject<boolean>;
  onSave: () => Promise<boolean>;
}) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  useEffect(() => {
    if (!isDirty) return undefined;
    const beforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", beforeUnload);
    const release = guardLeaving((proceed) => {
      if (isSaved.current) return false;
      setLeave(() => proceed);
      return true;
    });
    return () => {
      removeEventListener("beforeunload", beforeUnload);
      release();
    };
  }, [isDirty]);

  if (leave === null) return null;
  const stay = () => setLeave(null);
  async function saveAndLeave(proceed: () => void) {
    setIsBusy(true);
    const wasSaved = await onSave();
    setIsBusy(false);
    setLeave(null);
    if (wasSaved) proceed();
  }
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>Your changes to this campaign have not been saved.</p>
      <footer class="buttons">
        <Button onClick={stay}>Stay</Button>
        <Button
          kind="danger"
          onClick={() => {
            setLeave(null);
            leave();
          }}
        >
          Discard changes
        </Button>
        <Button kind="primary" isBusy={isBusy} onClick={() => void saveAndLeave(leave)}>
          Save and leave
        </Button>
      </footer>
    </Dialog>
  );
}
