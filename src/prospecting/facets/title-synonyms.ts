/**
 * Offices that go by several names. `words`: those that find the office by themselves, too; all forms of it are found
 * by its short name and by one another.
 */
export const titleSynonyms: { name: string; forms: string[]; words?: string[] }[] = [
  chief("ceo", "executive", ["Managing Director CEO", "Geschäftsführer", "Directeur Général", "PDG", "Director General"]),
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
  { name: "svp", forms: ["Senior Vice President", "Senior VP", "Sr Vice President", "Sr VP"], words: ["vp", "senior"] },
  { name: "avp", forms: ["Assistant Vice President", "Associate Vice President", "Assistant VP"], words: ["vp"] },
  { name: "vp", forms: ["Vice President", "Vice-President", "Vicepresident", "Vicepresidente", "Vizepräsident"] },
  { name: "md", forms: ["Managing Director"], words: ["managing", "director"] },
  { name: "gm", forms: ["General Manager"], words: ["general", "manager"] },
  { name: "hr", forms: ["Human Resources", "Human Resource"], words: ["human", "resources"] },
  { name: "it", forms: ["Information Technology"], words: ["information", "technology"] },
  { name: "qa", forms: ["Quality Assurance"], words: ["quality", "assurance"] },
  { name: "pr", forms: ["Public Relations"], words: ["public", "relations"] },
  { name: "rd", forms: ["R&D", "Research and Development", "Research & Development"], words: ["research", "development"] },
  { name: "bizdev", forms: ["Business Development", "Biz Dev"], words: ["business", "development"] },
  { name: "sdr", forms: ["Sales Development Representative", "Sales Development Rep"], words: ["sales", "development", "representative"] },
  { name: "bdr", forms: ["Business Development Representative", "Business Development Rep"], words: ["business", "development", "representative"] },
  { name: "bdm", forms: ["Business Development Manager"], words: ["business", "development", "manager", "bizdev"] },
  { name: "ae", forms: ["Account Executive"], words: ["account", "executive"] },
  { name: "csm", forms: ["Customer Success Manager"], words: ["customer", "success", "manager"] },
  { name: "swe", forms: ["Software Engineer", "Software Developer"], words: ["software", "engineer", "developer"] },
  { name: "sre", forms: ["Site Reliability Engineer"], words: ["site", "reliability", "engineer"] },
  { name: "senior", forms: ["Sr", "Snr"] },
  { name: "junior", forms: ["Jr", "Jnr"] },
  { name: "manager", forms: ["Mgr", "Mngr"] },
  { name: "director", forms: ["Dir", "Direktor", "Directeur", "Directora"] },
  { name: "engineer", forms: ["Eng", "Ingenieur", "Ingénieur", "Ingeniero"] },
  { name: "engineering", forms: ["Engng"] },
  { name: "assistant", forms: ["Asst"] },
  { name: "associate", forms: ["Assoc"] },
  { name: "executive", forms: ["Exec"] },
  { name: "representative", forms: ["Rep"] },
  { name: "founder", forms: ["Founding Partner", "Gründer", "Fondateur", "Fundador"] },
  { name: "cofounder", forms: ["Co-Founder", "Co Founder", "Mitgründer", "Cofondateur", "Cofundador"], words: ["founder"] },
]; // prettier-ignore

function chief(name: string, field: string, forms: string[]) {
  const words = ["chief", ...field.split(" "), "officer"];
  return { name, forms: [`Chief ${field} Officer`, ...forms], words };
}
