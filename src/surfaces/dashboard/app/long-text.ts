import { count } from "./format.ts";
import { showProblem } from "./ui/toast.tsx";

/** Limits for fields without a maxLength: far more than anyone types, and no strain for the browser. */
const maxLineLength = 5_000;
const maxTextLength = 100_000;

/**
 * Rejects text that is pasted or dropped into a field and exceeds its limit, with a message. The browser would truncate
 * it silently or, in a field without a limit, freeze while it lays out ten megabytes.
 */
export function refuseLongTexts(): void {
  document.addEventListener("beforeinput", (event) => {
    const field = event.target;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    if (!event.inputType.startsWith("insertFrom") || text === "") return;
    const limit =
      field.maxLength > 0 ? field.maxLength : field instanceof HTMLInputElement ? maxLineLength : maxTextLength;
    if (text.length + remainingLength(field) <= limit) return;
    event.preventDefault();
    showProblem(
      `Text not inserted: it is ${count(text.length)} characters; the limit of the field is ${count(limit)}.`,
    );
  });
}

/**
 * Length of the text that remains in the field after the selection is replaced. Some input types do not expose the
 * selection; their values are short.
 */
function remainingLength({ value, selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement): number {
  if (selectionStart === null || selectionEnd === null) return 0;
  return value.length - (selectionEnd - selectionStart);
}
