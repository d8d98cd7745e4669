import type { NetworkStore } from "../../network/store.ts";
import type { Contact } from "../../network/contact-model.ts";
import { createCampaignHooks } from "./campaign-hooks.ts";
import type { Engine } from "./engine.ts";
import type { JobRows } from "./jobs.ts";
import { createAccountRows, createAccountStore } from "./network-accounts.ts";
import { createActionRows } from "./network-actions.ts";
import { createContactRows, createContactStore } from "./network-contacts.ts";
import { createDispatchStore } from "./network-dispatch.ts";
import { createActionJobs, type ActionJobs } from "./network-jobs.ts";
import { createActionLists } from "./network-lists.ts";
import { createObjections } from "./network-objections.ts";
import { createPlanStore } from "./network-plan.ts";
import { createScheduleStore, createScheduling, type Scheduling } from "./network-schedule.ts";
import { createSlots } from "./network-slots.ts";
import { createSuppressionRows } from "./suppressions.ts";

/** Actions inside the write units of other stores. */
export type NetworkRows = {
  scheduling: Scheduling;
  jobs: ActionJobs;
  contactOf: (accountId: string, profileKey: string) => Contact | null;
  store: NetworkStore;
};

const byEngine = new WeakMap<Engine, NetworkRows>();

/** The same for all stores of an engine: accounts are kept in memory by whoever writes them. */
export function createNetworkRows(engine: Engine, jobRows: JobRows): NetworkRows {
  const known = byEngine.get(engine);
  if (known !== undefined) return known;
  const accounts = createAccountRows(engine);
  const actions = createActionRows(engine, accounts);
  const contacts = createContactRows(engine);
  const slots = createSlots(engine);
  const objectionTo = createObjections(engine, contacts, createSuppressionRows(engine));
  const campaigns = createCampaignHooks(engine);
  const parts = { accounts, actions, jobRows, slots, contacts, campaigns, objectionTo };
  const scheduling = createScheduling(parts);
  const store: NetworkStore = {
    ...createAccountStore(engine, accounts),
    ...createScheduleStore(engine, parts, scheduling),
    ...createActionLists(engine, accounts, actions),
    ...createDispatchStore(engine, parts, scheduling),
    ...createPlanStore(engine, accounts),
    ...createContactStore(engine, accounts, contacts, campaigns),
  };
  const contactOf = (accountId: string, profileKey: string): Contact | null => {
    const account = accounts.byId(accountId);
    const row = account && contacts.get(account.seq, profileKey);
    return row && { ...row, accountId };
  };
  const rows = { scheduling, jobs: createActionJobs(parts, scheduling), contactOf, store };
  byEngine.set(engine, rows);
  return rows;
}
