/** Forms of incorporation, which people write or leave out as they like. */
const forms =
  /[\s,.]+(inc|incorporated|llc|llp|lp|ltd|limited|plc|corp|corporation|co|company|gmbh|mbh|ag|kg|se|ug|ohg|sa|sas|sarl|srl|spa|bv|nv|ab|as|aps|oy|oyj|pty|kk)\.?$/;

/** Most names have nothing that could be spelled in two ways but case, which saves time. */
const plain = /^[!-~]+( [!-~]+)*$/;

/**
 * The spelling of a company's name by which it is found: lower case, without accents, punctuation at the ends and the
 * form of incorporation. "Müller & Söhne GmbH" and "MULLER & SOHNE" are one. Empty for a name without letters.
 */
export function companyName(name: string): string {
  let text = (plain.test(name) ? name : name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/g, " "))
    .toLowerCase()
    .trim();
  for (let shorter = text.replace(forms, ""); shorter !== text && shorter !== ""; shorter = text.replace(forms, ""))
    text = shorter;
  return text.replace(/^[\s.,'"]+|[\s.,'"]+$/g, "");
}
