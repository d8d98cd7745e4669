import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Button, type ButtonKind } from "./button.tsx";
import { showError } from "./toast.tsx";

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Wide enough for a table. */
  isWide?: boolean;
  /** Opens at the side instead of over the page, for browsing details. */
  isSide?: boolean;
};

/** A modal dialog. The browser traps the focus, closes the dialog on Escape, and restores the focus. */
export function Dialog({ title, onClose, children, isWide = false, isSide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isWide ? "wide" : ""} ${isSide ? "side" : ""}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" icon="close" aria-label="Close" onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  children: ComponentChildren;
  confirm: string;
  kind?: ButtonKind;
  /** The dialog closes when the promise resolves, and shows the error if it rejects. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
};

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog({ title, children, confirm, kind = "danger", onConfirm, onClose }: ConfirmProps) {
  const [isBusy, setIsBusy] = useState(false);
  async function run() {
    setIsBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <footer class="buttons">
        <Button onClick={onClose}>Back</Button>
        <Button kind={kind} isBusy={isBusy} onClick={() => void run()}>
          {confirm}
        </Button>
      </footer>
    </Dialog>
  );
}
