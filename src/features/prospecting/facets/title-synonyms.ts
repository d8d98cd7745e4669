import { folded } from "../../../platform/identity/names.ts";

/**
 * Offices with several names. All forms of an office are found by its short name and by each other. `words`: words that
 * also find the office on their own.
 */
export const titleSynonyms: { name: string; forms: string[]; words?: string[] }[] = [
  chief("ceo", "executive", ["Managing Director CEO", "Geschäftsführer", "Directeur Général", "PDG", "Director General", "社長", "代表取締役", "代表取締役社長", "取締役社長", "대표이사", "대표이사 사장"]),
  chief("cto", "technology", ["Chief Technical Officer", "Technischer Leiter", "Directeur Technique"]),
  chief("cfo", "financial", ["Chief Finance Officer", "Directeur Financier", "Director Financiero"]),
  chief("coo", "operating", ["Chief Operations Officer"]),
  chief("cmo", "marketing", []),
  chief("cio", "information", []),
  chief("ciso", "information security", ["Chief Security Officer", "CSO Security"]),
  chief("cro", "revenue", []),
  chief("cpo", "product", []),
  chief("chro", "human resources", ["Chief People Officer", "Chief Human Resource Officer"]),
  chief("cdo", "data", ["Chief Digital Officer"]),
  chief("cco", "commercial", ["Chief Customer Officer"]),
  chief("clo", "legal", ["General Counsel"]),
  chief("cso", "strategy", ["Chief Sales Officer", "Chief Strategic Officer"]),
  chief("cao", "administrative", []),
  chief("cino", "innovation", []),
  { name: "evp", forms: ["Executive Vice President", "Executive VP"], words: ["vp", "executive"] },
  { name: "svp", forms: ["Senior Vice President", "Senior VP"], words: ["vp", "senior"] },
  { name: "avp", forms: ["Assistant Vice President", "Associate Vice President", "Assistant VP"], words: ["vp"] },
  { name: "vp", forms: ["Vice President", "Vice-President", "Vicepresident", "Vicepresidente", "Vizepräsident"] },
  { name: "md", forms: ["Managing Director"], words: ["managing", "director"] },
  { name: "gm", forms: ["General Manager"], words: ["general", "manager"] },
  { name: "hr", forms: ["Human Resources", "Human Resource"], words: ["human", "resources"] },
  { name: "it", forms: ["Information Technology"], words: ["information", "technology"] },
  { name: "qa", forms: ["Quality Assurance"], words: ["quality", "assurance"] },
  { name: "pr", forms: ["Public Relations"], words: ["public", "relations"] },
  { name: "rd", forms: ["R&D", "Research and Development", "Research & Development"], words: ["research", "development"] },
  { name: "bizdev", forms: ["Business Development"], words: ["business", "development"] },
  { name: "sdr", forms: ["Sales Development Representative"], words: ["sales", "development", "representative"] },
  { name: "bdr", forms: ["Business Development Representative"], words: ["business", "development", "representative"] },
  { name: "bdm", forms: ["Business Development Manager"], words: ["business", "development", "manager", "bizdev"] },
  { name: "ae", forms: ["Account Executive"], words: ["account", "executive"] },
  { name: "csm", forms: ["Customer Success Manager"], words: ["customer", "success", "manager"] },
  { name: "swe", forms: ["Software Engineer", "Software Developer"], words: ["software", "engineer", "developer"] },
  { name: "revops", forms: ["Revenue Operations", "Rev Ops"], words: ["revenue", "operations"] },
  { name: "devops", forms: ["Dev Ops"] },
  { name: "infosec", forms: ["Information Security", "Info Sec"], words: ["information", "security"] },
  { name: "sre", forms: ["Site Reliability Engineer"], words: ["site", "reliability", "engineer"] },
  { name: "founder", forms: ["Founding Partner", "Gründer", "Fondateur", "Fundador"] },
  { name: "cofounder", forms: ["Co-Founder", "Co Founder", "Mitgründer", "Cofondateur", "Cofundador"], words: ["founder"] },
]; // prettier-ignore

/** The short names of offices with a form in which a word starts with the text, which is folded. */
export function officesNamed(text: string): string[] {
  const isNamed = (form: string) => ` ${folded(form)}`.includes(` ${text}`);
  return titleSynonyms.filter(({ forms }) => forms.some(isNamed)).map(({ name }) => name);
}

/** Abbreviations and foreign words with a single meaning. They are replaced by that word, including in `forms`. */
export const spelledOut: Readonly<Record<string, string>> = words(`
  senior: sr snr
  junior: jr jnr
  manager: mgr mngr
  management: mgmt mgt
  director: dir direktor directeur directora
  president: pres
  executive: exec
  supervisor: supv supvr
  coordinator: coord
  representative: rep
  assistant: asst
  associate: assoc
  engineer: engr ingenieur ingeniero
  engineering: engng
  marketing: mktg mkting mrktg
  operations: ops
  communications: comms
  business: biz
  customer: cust
  corporate: corp
  international: intl
  government: govt
  department: dept`);

/** Ambiguous abbreviations. The abbreviation and each of its meanings find each other. */
export const ambiguous: Readonly<Record<string, readonly string[]>> = {
  eng: ["engineer", "engineering"],
  dev: ["developer", "development"],
  acct: ["account", "accountant", "accounting"],
  tech: ["technology", "technical", "technician"],
  admin: ["administrator", "administration", "administrative"],
};

function words(lines: string): Record<string, string> {
  const pairs = lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [word = "", ...short] = line.trim().split(/:? /);
      return short.map((each) => [each, word] as const);
    });
  return Object.fromEntries(pairs);
}

function chief(name: string, field: string, forms: string[]) {
  const words = ["chief", ...field.split(" "), "officer"];
  return { name, forms: [`Chief ${field} Officer`, ...forms], words };
}
