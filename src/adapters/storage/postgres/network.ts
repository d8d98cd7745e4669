import type { NetworkStore } from "../../../features/network/store.ts";
import type { Engine } from "./engine.ts";
import { createAccountStore } from "./network-accounts.ts";
import { createContactStore } from "./network-contacts.ts";
import { createDispatchStore } from "./network-dispatch.ts";
import { createActionLists } from "./network-lists.ts";
import { createPlanStore } from "./network-plan.ts";
import { createScheduleStore } from "./network-schedule.ts";

export function createNetworkStore(engine: Engine): NetworkStore {
  return {
    ...createAccountStore(engine),
    ...createScheduleStore(engine),
    ...createActionLists(engine),
    ...createDispatchStore(engine),
    ...createPlanStore(engine),
    ...createContactStore(engine),
  };
}
