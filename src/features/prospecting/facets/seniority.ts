import { folded } from "../../../platform/identity/names.ts";
import { ownTitle } from "./own-title.ts";
import { sureTitleTerms } from "./title-words.ts";

/** Seniority levels of Apollo and People Data Labs, highest first. */
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

/** The seniority level named by the text, or null if unknown. */
export function seniorityNamed(text: string): Seniority | null {
  return byName.get(folded(text)) ?? null;
}

/** The levels that a search for the named level includes; empty if unknown. */
export function senioritiesNamed(text: string): readonly Seniority[] {
  if (isNonManager(text)) return belowManager;
  const level = seniorityNamed(text);
  return level === null ? [] : [level];
}

/** Whether a vendor's level only says that the person is not a manager. */
export function isNonManager(text: string): boolean {
  return nonManager.test(folded(text));
}

/** The level of a non-manager: the one implied by the title, unless that is higher, or else `entry`. */
export function levelOfNonManager(ofTitle: string | undefined): Seniority {
  return belowManager.find((level) => level === ofTitle) ?? "entry";
}

const belowManager: readonly Seniority[] = ["senior", "entry", "intern"];
const nonManager = /^(non ?manag(er|ers|ement|erial|er level|ement level)|individual contributors?)$/;

const chiefs = /^(ceo|cto|cfo|coo|cmo|cio|ciso|cro|cpo|chro|cdo|cco|clo|cso|cao|cino|chief|president)$/;
/** Levels that can be combined, highest first: "Co-Founder & CEO". */
const offices: [RegExp, Seniority][] = [
  [/^(owner|proprietor|inhaber)$/, "owner"],
  [/^(founder|cofounder)$/, "founder"],
  [chiefs, "c_suite"],
  [/^partner$/, "partner"],
  [/^(vp|svp|evp|avp)$/, "vp"],
  [/^(head|leiter|leiterin)$/, "head"],
  [/^(director|md)$/, "director"],
];
/** Levels of people without an office: the first that matches a word of the title. */
const ranks: [RegExp, Seniority][] = [
  [/^(manager|supervisor|lead|gm|csm|bdm)$/, "manager"],
  [/^(senior|principal|staff)$/, "senior"],
  [/^(junior|assistant|graduate|apprentice)$/, "entry"],
];
const learner = /^(intern|internship|trainee|praktikant|stagiaire)$/;

/** Offices at the end of words in scripts without spaces: 営業部長. The first match wins. */
const eastAsian: [RegExp, Seniority][] = [
  [ending("副社長|副总裁|副總裁|副总经理|副總經理|부사장"), "vp"],
  [ending("总裁|總裁|董事长|董事長|首席执行官|사장"), "c_suite"],
  [ending("(?<!副)总经理|(?<!副)總經理"), "c_suite"],
  [ending("取締役|总监|總監|이사|(?<![副次])部長|(?<!차)부장"), "director"],
  [ending("課長|经理|經理|과장|팀장|マネージャー"), "manager"],
];

function ending(names: string): RegExp {
  return new RegExp(`(?:${names.normalize("NFKD").replace(/\p{M}/gu, "")})$`, "u");
}

/** The seniority levels implied by a title, highest first; empty if there are none. */
export function senioritiesOfTitle(title: string): Seniority[] {
  const terms = sureTitleTerms(ownTitle(title));
  const fits = ([sign]: [RegExp, Seniority]) => terms.some((term) => sign.test(term));
  if (terms.some((term) => learner.test(term))) return ["intern"];
  // "Assistant Director" is not a director, and "Executive Assistant" is not an executive.
  if (terms.includes("assistant")) return ["entry"];
  const held = offices.filter(fits);
  if (held.length > 0) return held.map(([, level]) => level);
  const rank = ranks.find(fits) ?? eastAsian.find(fits);
  return rank === undefined ? [] : [rank[1]];
}
