import type { LeadStore } from "../leads/store.ts";
import type { Directory, LeadHintStore } from "./directory-store.ts";

/** The user's own leads as a directory of people; of companies they know what their people say. */
export function createLeadDirectory(leads: LeadStore, hints: LeadHintStore): Directory {
  return {
    findPerson: (userId, identity, exceptLeadId) => leads.findSame(userId, identity, exceptLeadId),
    findCompany: async () => null,
    colleagues: hints.colleagues,
  };
}
