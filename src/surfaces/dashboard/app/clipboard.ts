/** Copies text to the clipboard. Returns false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The Clipboard API requires HTTPS or localhost; the deprecated command works elsewhere.
    return copyWithSelection(text);
  }
}

function copyWithSelection(text: string): boolean {
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
