import { folded } from "./fold.ts";
import { sureTitleTerms } from "./title-words.ts";

/** Levels as Apollo and People Data Labs tell them apart, the highest first. */
export const seniorities = [
  "owner",
  "founder",
  "c_suite",
  "partner",
  "vp",
  "head",
  "director",
  "manager",
  "senior",
  "entry",
  "intern",
] as const;
export type Seniority = (typeof seniorities)[number];

const otherNames: Record<Seniority, string[]> = {
  owner: ["owner", "proprietor", "inhaber", "proprietaire"],
  founder: ["founder", "co founder", "cofounder"],
  c_suite: [
    "c suite",
    "csuite",
    "c level",
    "clevel",
    "cxo",
    "chief",
    "executive",
    "c suite executive",
    "c level executive",
  ],
  partner: ["partner", "managing partner"],
  vp: ["vp", "vp level", "vice president", "vice president level", "svp", "evp"],
  head: ["head", "head of"],
  director: ["director", "director level", "managing director"],
  manager: ["manager", "manager level", "management", "lead", "team lead"],
  senior: ["senior", "sr"],
  entry: ["entry", "entry level", "junior", "associate", "training"],
  intern: ["intern", "internship", "trainee", "unpaid"],
};
const byName = new Map(seniorities.flatMap((level) => otherNames[level].map((name) => [name, level] as const)));

/** The level that a text names; null when it names none that is known. */
export function seniorityNamed(text: string): Seniority | null {
  return byName.get(folded(text)) ?? null;
}

/** The levels that somebody means who looks for the one that a text names; none when none is known. */
export function senioritiesNamed(text: string): readonly Seniority[] {
  if (isNonManager(text)) return belowManager;
  const level = seniorityNamed(text);
  return level === null ? [] : [level];
}

/** Whether a vendor says of somebody's level no more than that it is below a manager's. */
export function isNonManager(text: string): boolean {
  return nonManager.test(folded(text));
}

/** The level of whom no more is known than that: what the title says, unless that is above; else the usual one, `entry`. */
export function levelOfNonManager(ofTitle: string | undefined): Seniority {
  return belowManager.find((level) => level === ofTitle) ?? "entry";
}

const belowManager: readonly Seniority[] = ["senior", "entry", "intern"];
const nonManager = /^(non ?manag(er|ers|ement|erial|er level|ement level)|individual contributors?)$/;

const chiefs = /^(ceo|cto|cfo|coo|cmo|cio|ciso|cro|cpo|chro|cdo|cco|clo|cso|cao|cino|chief|president)$/;
/** The first that fits a word of a title. */
const signs: [RegExp, Seniority][] = [
  [/^(intern|internship|trainee|praktikant|stagiaire)$/, "intern"],
  [/^(owner|proprietor|inhaber)$/, "owner"],
  [/^(founder|cofounder)$/, "founder"],
  [/^(vp|svp|evp|avp)$/, "vp"],
  [chiefs, "c_suite"],
  [/^partner$/, "partner"],
  [/^(head|leiter|leiterin)$/, "head"],
  [/^(director|md)$/, "director"],
  [/^(manager|supervisor|lead|gm|csm|bdm)$/, "manager"],
  [/^(senior|principal|staff)$/, "senior"],
  [/^(junior|assistant|graduate|apprentice)$/, "entry"],
];

/** The level that a title speaks of; null when it does not tell. */
export function seniorityOfTitle(title: string): Seniority | null {
  const terms = sureTitleTerms(title);
  // "Executive Assistant to the CEO", "Account Executive": the office is not the holder's own.
  if (terms.includes("assistant") && terms.length > 1) return "entry";
  // A product owner owns no company.
  if (terms.includes("product") && terms.includes("owner")) return null;
  for (const [sign, level] of signs) if (terms.some((term) => sign.test(term))) return level;
  return null;
}
