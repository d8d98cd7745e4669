/** Puts a text into the clipboard; false when the browser does not let us. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain http to another machine there is no clipboard, but there is still the way of old.
    return copyMarked(text);
  }
}

function copyMarked(text: string): boolean {
  const before = document.activeElement as HTMLElement | null;
  const place = document.createElement("textarea");
  place.value = text;
  place.className = "visually-hidden";
  document.body.append(place);
  place.select();
  const isCopied = document.execCommand("copy");
  place.remove();
  before?.focus();
  return isCopied;
}
