/** Normalizes text to one line: removes control characters, replaces line breaks and tabs with a space, and trims. */
export function singleLine(sent: string): string {
  const text = sent.toWellFormed(); // an unpaired surrogate would be lost when stored
  return hasControl.test(text) ? text.replace(lineBreaks, " ").replace(controls, "").trim() : text.trim();
}

/** Normalizes multiline text: removes control characters except tabs and line feeds, uses `\n` line endings, and trims. */
export function multiLine(sent: string): string {
  const text = sent.toWellFormed();
  return hasControl.test(text) ? text.replace(/\r\n?/g, "\n").replace(controls, "").trim() : text.trim();
}

/* oxlint-disable no-control-regex -- this file removes them */
const hasControl = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/* oxlint-enable no-control-regex */
