import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, type ButtonKind } from "./button.tsx";
import { focusReturn } from "./focus-return.ts";
import { showError } from "./toast.tsx";

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Wide enough for a table. */
  isWide?: boolean;
  /** Opens at the side instead of over the page, for browsing details. */
  isSide?: boolean;
  /** Opens at the top, with the title and the button to close it only for screen readers. */
  isPalette?: boolean;
};

/** A modal dialog. The browser traps the focus and closes the dialog on Escape; the focus returns to its opener. */
export function Dialog({ title, onClose, children, isWide = false, isSide = false, isPalette = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [returnFocus] = useState(focusReturn);
  // Not after the next frame: keys that follow the one that opened it are for the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => {
      element?.close();
      // After the rest of the page has changed, too: the opener may be among what disappears.
      setTimeout(returnFocus);
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isWide ? "wide" : ""} ${isSide ? "side" : ""} ${isPalette ? "palette" : ""}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        // The backdrop belongs to the dialog; everything else is in it.
        if (isPalette && event.target === dialog.current) onClose();
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
