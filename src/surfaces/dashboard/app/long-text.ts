import { count } from "./format.ts";
import { tellProblem } from "./ui/toast.tsx";

/** What fields take that say nothing themselves. Far more than anybody means, and still no strain for the browser. */
const longestLine = 5_000;
const longestText = 100_000;

/**
 * Refuses, and says so, what would not fit into a field when it is pasted or dropped there. The browser would cut it off
 * without a word, or, in a field without a limit, stand still for as long as it takes to lay ten megabytes out.
 */
export function refuseLongTexts(): void {
  document.addEventListener("beforeinput", (event) => {
    const field = event.target;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    if (!event.inputType.startsWith("insertFrom") || text === "") return;
    const limit = field.maxLength > 0 ? field.maxLength : field instanceof HTMLInputElement ? longestLine : longestText;
    if (text.length + keptOf(field) <= limit) return;
    event.preventDefault();
    tellProblem(
      `Nothing was inserted: the text is ${count(text.length)} characters, and the field takes ${count(limit)} in total.`,
    );
  });
}

/** How much stays of what is in the field. Some kinds of fields do not tell what is selected; they are short. */
function keptOf({ value, selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement): number {
  if (selectionStart === null || selectionEnd === null) return 0;
  return value.length - (selectionEnd - selectionStart);
}
