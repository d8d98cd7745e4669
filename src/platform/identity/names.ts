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

/**
 * The form in which company names are compared: without the legal form, the article, and the sign or word between two
 * names, all of which vendors write or leave out. "Acme, Inc." and "ACME" are one company, and so are "The Boring
 * Company" and "Boring Co.", "AT&T" and "AT and T", "トヨタ自動車株式会社" and "トヨタ自動車". A name made only of
 * signs is compared by them.
 */
export function companyKey(name: string): string {
  const text = folded(name) || name.trim().toLowerCase();
  // What is left may end in another form: "Acme Inc. (The)".
  for (let key = text, shorter = shortened(text); ; key = shorter, shorter = shortened(key))
    if (shorter === key) return key;
}

function shortened(text: string): string {
  const named = inAscii.test(text) ? text : text.replace(formInFront, "").replace(formBehind, "");
  const words = named.replace(article, "").replace(link, "");
  if (!droppedWords.has(words.slice(words.lastIndexOf(" ") + 1))) return words;
  return words.replace(legalForm, "") || words;
}

/** Legal forms behind a name in Latin letters. */
const legalForms =
  "inc|incorporated|llc|llp|lllp|lp|pllc|ltd|limited|private limited|plc|corp|corporation|co|company|" +
  "gmbh|mbh|gesellschaft mbh|ag|se|kg|kgaa|ug|ohg|eg|sarl|sas|sasu|eurl|snc|sa|sa de cv|spa|srl|srls|sl|slu|ltda|lda|" +
  "bv|bvba|nv|ab|abp|as|asa|aps|oy|oyj|sro|doo|kft|zrt|nyrt|pty|pvt|pte|sdn bhd|bhd|kk|kabushiki kaisha|godo kaisha";
/** The same written with dots, which are spaces in folded text, and "A/S". */
const spelledForms =
  "l l c|l l p|l p|p l c|a g|s a|s a s|s a r l|s a de c v|s n c|s p a|s r l|s l|s l u|b v|n v|a b|a s|s r o|d o o|sp z o o|k k";
// Alone, "S.A.S." is a name.
const legalForm = new RegExp(`(?: (?:${legalForms})|(?<!^.) (?:${spelledForms}))+$`);

/** In front of a name or behind it, with or without a space. Longer forms precede their own endings. */
const eastAsianForms =
  "株式会社|有限会社|合同会社|合資会社|合名会社|股份有限公司|有限责任公司|有限責任公司|有限公司|" +
  "주식회사|유한책임회사|유한회사|합자회사|합명회사";
/** Separate words: the short forms in (株) and ㈜, and the forms that Russian names start with. */
const shortForms = "株|有|주|유|ооо|оао|зао|пао|ао";
const long = eastAsianForms.split("|").map(folded).join("|");
const short = shortForms.split("|").map(folded).join("|");
const formInFront = new RegExp(`^(?:(?:${long}) ?|(?:${short}) )(?=.)`);
const formBehind = new RegExp(`(?<=.)(?: ?(?:${long})| (?:${short}))$`);
const inAscii = /^[ -~]*$/;

// An ampersand is a space in folded text, so these words are dropped too. Words that are names elsewhere are not: "La",
// "Die", "y", "e".
const links = ["and", "und", "et"];
const link = new RegExp(` (${links.join("|")})(?= )`, "g");
const article = /^the (?=.)|(?<=.) the$/;
/** Words that `companyKey` may drop. */
export const droppedWords: ReadonlySet<string> = new Set([
  "the",
  ...links,
  ...`${legalForms}|${spelledForms}`.split("|").map((form) => form.slice(form.lastIndexOf(" ") + 1)),
]);

/** What two spellings of a name can differ in besides case. Most names have none of it, which saves time. */
const irregular = /[^\n -~]| {2}/;

/** The form in which a first or last name is compared: lower case, composed accents, single spaces. */
export function canonicalName(name: string): string {
  return (irregular.test(name) ? name.normalize("NFC").replace(/\s+/g, " ") : name).toLowerCase();
}

/**
 * The key of a person who is known only by name and company: both names and the `companyKey`, separated by line breaks,
 * which none of them contains.
 */
export function personNameKey(firstName: string, lastName: string, company: string): string {
  const names = `${firstName}\n${lastName}`;
  const canonical = irregular.test(names)
    ? `${canonicalName(firstName)}\n${canonicalName(lastName)}`
    : names.toLowerCase();
  return `${canonical}\n${companyKey(company)}`;
}
