import { folded } from "../../../platform/identity/names.ts";
import { withoutInitialDots } from "./title-words.ts";

/**
 * Removes words from a title that name offices the person does not hold: "CEO" in "Assistant to the CEO", "partner" in
 * "HR Business Partner" and "Partner Manager", "owner" in "Product Owner", and former offices such as "Ex-CEO". Only
 * the holder of an office has its seniority.
 */
export function ownTitle(title: string): string {
  if (!mayBeOfOthers.test(title)) return title;
  const own = withoutInitialDots(title).replace(ofOthers, "");
  return currentPhrases(own.split(separators)).map(ownPhrase).join(" ").trim();
}

/** `parts`: phrases, alternating with their separators. */
function currentPhrases(parts: readonly string[]): string[] {
  const current: string[] = [];
  let wasFormer = false;
  for (let at = 0; at < parts.length; at += 2) {
    const phrase = folded(parts[at]!);
    // "CEO (retired)"
    if (at > 0 && allFormer.test(phrase)) current.length = 0;
    // "Former Founder & CEO": both are former. "Former VP, CEO": still CEO.
    const isJoined: boolean = wasFormer && joins.test(parts[at - 1] ?? "") && !ofToday.test(phrase);
    wasFormer = isJoined || former.test(phrase);
    current.push(isJoined ? "" : phrase.replace(former, ""));
  }
  return current;
}

/** Fast check, because most titles contain none of this and a file may have a million of them. */
const mayBeOfOthers =
  /partner|owner|founder|head|chief|lead|\sto\s|supporting|office|\bex\b|former|retired|past\b|previous|ehemalig|ancien/i;
const separators = /([,;:|/&+()[\]]|\s(?:[-–—]|and)\s)/i;
const joins = /&|and/i;
const ofToday = /^(?:now|current|currently|today)\b/;
const allFormer = /^(?:retired|former|past|ret)$/;
const office = "ceo|cto|cfo|coo|cmo|cio|ciso|chief|vp|svp|evp|avp|vice|president|managing|executive|director|md|founder|co-founder|cofounder|owner|board|chairman|chairwoman|chair|partner|partners|general|senior|head"; // prettier-ignore
/** "… to the CEO", "Office of the President", "CEO's Office" */
const ofOthers = new RegExp(
  `\\s(?:to|supporting|reporting to)\\s+(?:(?:the|our|a)\\s|(?:${office})\\b).*$|\\boffice of (?:the )?(?:${office})\\b.*$|\\b(?:ceo|founder|president|chairman|md)(?:['’]?s)? office\\b`,
  "iu",
);

/** A former position, up to the end of a phrase. "ex Google CTO" is still a CTO. */
const former = new RegExp(
  `(?:^| )(?:(?:former|formerly|retired|previous|previously|ehemaliger?|ehemaliges|ancien|ancienne|past(?! due))(?: |$)|ex (?=(?:${office}|manager|lead|supervisor)(?: |$))).*$`,
);

/** Words that do not name an office of the holder, and their replacements. */
const readings: [RegExp, string][] = [
  // People who advise others or sell through them: a partner of the firm has no such word in front.
  [/\b(business|people|talent|hr|resources|channel|client|customer|alliance|alliances|strategic|solution|solutions|service|services|success|community|delivery|marketing|sales|product|engagement|recruiting|recruitment|acquisition|training|learning|procurement|implementation|growth|care|data|it|design|development|distribution|reseller) partner\b/g, "$1"],
  [/\bpartner (?=(?!of\b|at\b|in\b|for\b|the\b|and\b|with\b|ceo\b|cto\b|cfo\b|coo\b|cmo\b|chief\b|founder\b|cofounder\b|co founder\b|owner\b|president\b|director\b|managing\b|head\b|vp\b|emeritus\b|elect\b)\S)/g, ""],
  [/\b(product|process|system|systems|data|service|application|feature|platform|domain|solution|content|account|project|program|programme|capability|risk|budget|control|epic|value stream|backlog|journey|asset|technology|technical|release|tool|module|component|policy|contract) owner\b/g, "$1"],
  [/\b(?:owner|founder) (?=(?:relations?|success|support|services?|experience|engagement|care|liaison|community|programs?|marketing|acquisition|association|in residence)\b)/g, ""],
  [/\bhead (?:start|office|hunter|count)\b/g, ""],
  [/\bchief of staff\b/g, "head"],
  // Leaders of a group of specialists.
  [/\b(?:head|chief)(?= (?!of |for )(?:(?!officer )\S+ ){0,3}(?:petty|warrant|receptionist|chef|cook|coach|teacher|nurse|waiter|waitress|server|cashier|bartender|barista|baker|butcher|housekeeper|gardener|groundskeeper|greenkeeper|brewer|distiller|winemaker|sommelier|lifeguard|librarian|chemist|trainer|instructor|counselor|tutor|porter|usher|host|hostess|concierge|custodian|janitor|stylist|hairdresser|mechanic|pilot|mate|steward|stewardess|clerk|technician|inspector|surveyor|dispatcher|operator|resident|engineer|accountant|electrician|photographer|caretaker|guard|pharmacist|physiotherapist|radiographer|estimator|draftsman)(?: |$))/g, "manager"],
  [/\blead (?=(?:generation|gen|qualification|nurturing|conversion)\b)/g, ""],
]; // prettier-ignore

function ownPhrase(phrase: string): string {
  return readings.reduce((own, [pattern, by]) => own.replace(pattern, by), phrase);
}
