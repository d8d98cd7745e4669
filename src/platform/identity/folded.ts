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
    .replace(marks, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(apostrophes, "")
    .replace(others, " ")
    .trim();
}

// Here and not where they are used: an import would leave an object for each use.
const plain = /^[a-z0-9]+( [a-z0-9]+)*$/;
const marks = /\p{M}+/gu;
const apostrophes = /['’]/g;
const others = /[^\p{L}\p{N}+#]+/gu;
