import { companyKey } from "../../../platform/identity/names.ts";

/**
 * Whether a single word in a full-name column is a complete name: "Suharto", "さくら", "田中". Not if it repeats the company
 * or is a placeholder. It identifies a person only if nothing better is available, because it may be just a first name.
 */
export function isOneName(fullName: string | undefined, company: string | undefined): boolean {
  if (fullName === undefined || company === undefined || !oneWord.test(fullName)) return false;
  return !noNames.test(fullName) && companyKey(fullName) !== companyKey(company);
}

const oneWord = /^(?=.{2})\p{L}[\p{L}\p{M}'’ー-]*$/u;
const noNames =
  /^(unknown|none|null|nil|nan|na|tbd|tba|test|anonymous|contact|info|office|sales|support|admin|service|team|hr|marketing|reception|purchasing|accounting|owner|manager|director|ceo|president|unbekannt|keine|kontakt|inconnu|desconocido|不明|未定|未知|无|なし|担当者|ご担当者|없음|미정|담당자)(様|님)?$/i;
