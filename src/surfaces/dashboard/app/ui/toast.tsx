import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { RequestError } from "../api.ts";
import { withoutRequests } from "../format.ts";
import { Button } from "./button.tsx";

type Toast = { id: number; tone: "good" | "bad"; text: string; undo?: () => Promise<void> };

const toasts = signal<Toast[]>([]);
let lastId = 0;
/** Long enough to read a sentence twice. Errors stay until they are closed. */
const shownMs = 6000;
/** Long enough to notice a mistake and reach the button, with the keyboard too. */
const undoMs = 12_000;

/** Shows that something succeeded. */
export function showSuccess(text: string): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-3), { id, tone: "good", text }];
  setTimeout(() => close(id), shownMs);
}

/** Shows that something succeeded that can be undone. `undo` does the opposite; an error of it is shown. */
export function showUndo(text: string, undo: () => Promise<void>): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-3), { id, tone: "good", text, undo }];
  setTimeout(() => close(id), undoMs);
}

/** Undoes the latest of what is shown that can be undone. Returns false if nothing can. */
export function undoLatest(): boolean {
  const latest = toasts.value.findLast(({ undo }) => undo !== undefined);
  if (latest !== undefined) void run(latest);
  return latest !== undefined;
}

async function run({ id, undo }: Toast): Promise<void> {
  close(id);
  try {
    await undo?.();
    showSuccess("Undone.");
  } catch (error) {
    showError(error);
  }
}

/** Shows an error that belongs to no field or section of the page. */
export function showError(error: unknown): void {
  if (error instanceof RequestError) return showProblem(withoutRequests(error.message));
  showProblem("Something went wrong on this page. Reload it and try again.");
  console.error(error);
}

/** Shows a problem with a message of the dashboard. */
export function showProblem(text: string): void {
  toasts.value = [...toasts.value.slice(-3), { id: ++lastId, tone: "bad", text }];
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  const place = useRef<HTMLDivElement>(null);
  const last = toasts.value.at(-1)?.id;
  // Showing the popover again moves it above dialogs opened since.
  useEffect(() => {
    if (place.current?.matches(":popover-open")) place.current.hidePopover();
    if (last !== undefined) place.current?.showPopover();
  }, [last]);
  return (
    <div class="toasts" role="status" aria-live="polite" popover="manual" ref={place}>
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.tone}`}>
          <p>{toast.text}</p>
          {toast.undo && (
            <button type="button" class="link" onClick={() => void run(toast)}>
              Undo
            </button>
          )}
          <Button kind="quiet" icon="close" aria-label="Close" onClick={() => close(toast.id)} />
        </div>
      ))}
    </div>
  );
}
