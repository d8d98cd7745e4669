// Databases fold the case of ASCII letters only, in a way that does not depend on a locale. For all other letters, a search
// compares the spellings that people use: "köln" finds "Köln", "köln", and "KÖLN".

/** How a searched text may be spelled in a value whose ASCII letters are in lower case. */
export function spellingsOf(text: string): string[] {
  const lower = foldedAscii(text.replaceAll(/\p{Cc}/gu, "").toLowerCase());
  const capitalized = lower.replaceAll(/(?<![\p{L}\p{N}])\p{Ll}/gu, (letter) => upper(letter));
  const capitals = lower.replaceAll(/\p{Ll}/gu, (letter) => upper(letter));
  return [...new Set([lower, capitalized, capitals].map(foldedAscii))];
}

/** Like lower() in the database. */
export function foldedAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Letters that become several, such as ß, stay: in capitals they are usually written as they are. */
function upper(letter: string): string {
  const capital = letter.toUpperCase();
  return capital.length === letter.length ? capital : letter;
}

/** The tag as it is written in a lead that has it; `folded` is in lower case. */
export function spelledTag(folded: string, tags: readonly string[]): string {
  return tags.find((tag) => tag.toLowerCase() === folded) ?? folded;
}
