/** A text for one line: without control characters, line breaks and tabs become a space, trimmed, well-formed Unicode. */
export function singleLine(sent: string): string {
  const text = sent.toWellFormed(); // a half of a surrogate pair is lost on its way to the disk
  return hasControl.test(text) ? text.replace(lineBreaks, " ").replace(controls, "").trim() : text.trim();
}

/** A text of several lines: without control characters but tab and line feed, line ends are `\n`, trimmed. */
export function multiLine(sent: string): string {
  const text = sent.toWellFormed();
  return hasControl.test(text) ? text.replace(/\r\n?/g, "\n").replace(controls, "").trim() : text.trim();
}

/* oxlint-disable no-control-regex -- they are what this file is about */
const hasControl = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/* oxlint-enable no-control-regex */
