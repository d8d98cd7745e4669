/**
 * Text as names, companies, and search facets compare it: lower case, without accents, with one space for each run of
 * other characters. The signs in C++ and C# stay.
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

// Compiled once: an import would otherwise create objects for each use.
const plain = /^[a-z0-9]+( [a-z0-9]+)*$/;
const marks = /\p{M}+/gu;
const apostrophes = /['’]/g;
const others = /[^\p{L}\p{N}+#]+/gu;
