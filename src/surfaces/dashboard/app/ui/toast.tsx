import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { RequestError } from "../api.ts";
import { Button } from "./button.tsx";

type Toast = { id: number; tone: "good" | "bad"; text: string };

const toasts = signal<Toast[]>([]);
let lastId = 0;
/** Long enough to read a sentence twice. Errors stay until they are closed. */
const shownMs = 6000;

/** Shows that something succeeded. */
export function showSuccess(text: string): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(-3), { id, tone: "good", text }];
  setTimeout(() => close(id), shownMs);
}

/** Shows an error that belongs to no field or section of the page. */
export function showError(error: unknown): void {
  if (error instanceof RequestError) return showProblem(error.message);
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
      {toasts.value.map(({ id, tone, text }) => (
        <div key={id} class={`toast ${tone}`}>
          <p>{text}</p>
          <Button kind="quiet" icon="close" aria-label="Close" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
