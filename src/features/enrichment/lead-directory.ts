import type { LeadStore } from "../leads/store.ts";
import type { Directory, LeadHintStore } from "./directory-store.ts";

/** Presents the user's leads as a directory of people. Company details come only from the people at the company. */
export function createLeadDirectory(leads: LeadStore, hints: LeadHintStore): Directory {
  return {
    findPerson: (workspaceId, identity, exceptLeadId) => leads.findSame(workspaceId, identity, exceptLeadId),
    findCompany: async () => null,
    colleagues: hints.colleagues,
  };
}
