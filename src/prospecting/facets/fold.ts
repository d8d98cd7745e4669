/**
 * A text as facets compare it: lower case, without accents, every run of other characters one space. The signs of C++
 * and C# stay.
 *
 * @example folded("Société Générale & Co.") === "societe generale co"
 */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  if (plain.test(lower)) return lower;
  return lower
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/ß/g, "ss")
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{N}+#]+/gu, " ")
    .trim();
}

const plain = /^[a-z0-9]+( [a-z0-9]+)*$/;
