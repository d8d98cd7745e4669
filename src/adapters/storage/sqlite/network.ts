import type { NetworkStore } from "../../../features/network/store.ts";
import type { Contact } from "../../../features/network/contact-model.ts";
import { createCampaignHooks } from "./campaign-hooks.ts";
import type { Engine } from "./engine.ts";
import { createEventRows } from "./event-rows.ts";
import type { JobRows } from "./jobs.ts";
import { createAccountRows, createAccountStore } from "./network-accounts.ts";
import { createActionRows } from "./network-actions.ts";
import { contactOf, createContactRows, createContactStore } from "./network-contacts.ts";
import { createDispatchStore } from "./network-dispatch.ts";
import { createActionJobs, type ActionJobs } from "./network-jobs.ts";
import { createActionLists } from "./network-lists.ts";
import { createNetworkEvents } from "./network-events.ts";
import { createObjections } from "./network-objections.ts";
import { createPlanStore } from "./network-plan.ts";
import { createScheduleStore, createScheduling, type Scheduling } from "./network-schedule.ts";
import { createTaskStore } from "./network-tasks.ts";
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
  const eventRows = createEventRows(engine);
  const events = createNetworkEvents(eventRows);
  const accounts = createAccountRows(engine);
  const actions = createActionRows(engine, accounts);
  const contacts = createContactRows(engine, eventRows, (seq) => accounts.get(seq)?.account ?? null);
  const slots = createSlots(engine);
  const suppressions = createSuppressionRows(engine);
  const objectionTo = createObjections(engine, contacts, suppressions);
  const campaigns = createCampaignHooks(engine);
  const parts = { accounts, actions, jobRows, slots, contacts, campaigns, suppressions, objectionTo, events };
  const scheduling = createScheduling(parts);
  const store: NetworkStore = {
    ...createAccountStore(engine, accounts, events),
    ...createScheduleStore(engine, parts, scheduling),
    ...createActionLists(engine, accounts, actions),
    ...createDispatchStore(engine, parts, scheduling),
    ...createPlanStore(engine, accounts),
    ...createTaskStore(engine, parts, scheduling),
    ...createContactStore(engine, accounts, contacts, campaigns),
  };
  const contact = (accountId: string, profileKey: string): Contact | null => {
    const account = accounts.byId(accountId);
    const row = account && contacts.get(account.seq, profileKey);
    return row && contactOf(row, accountId);
  };
  const rows = { scheduling, jobs: createActionJobs(parts, scheduling), contactOf: contact, store };
  byEngine.set(engine, rows);
  return rows;
}
