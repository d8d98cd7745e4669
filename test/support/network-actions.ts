import type { Job } from "../../src/platform/jobs/model.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import type { Delegation } from "../../src/features/network/queue-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "./clock.ts";
import { alwaysOpen, claimAction, createFactories } from "./factories.ts";

export const minute = 60_000;

export const hour = 60 * minute;

export const day = 24 * hour;

export const at = startOfTests + 9;

export const toPerson: Delegation = { to: "person", reference: null, checkAt: null, message: "", at };

export const toVendor: Delegation = { ...toPerson, to: "vendor", reference: "v-1" };

export async function stateOf(storage: Storage, { workspaceId, id }: Job): Promise<NetworkAction["state"] | undefined> {
  return (await storage.network.action(workspaceId, id))?.action.state;
}

export type Make = ReturnType<typeof createFactories>;

export async function storedAccount(storage: Storage, make: Make, overrides: Partial<NetworkAccount> = {}) {
  const { user } = await make.storedUser(storage, { email: `${Math.random()}@example.com` });
  const account = make.account(user.id, { workingHours: alwaysOpen, ...overrides });
  await storage.network.insertAccount(account);
  return { account };
}

/** An account that is always open, with one scheduled action. */
export async function withScheduled(
  storage: Storage,
  overrides: Partial<NetworkAccount> = {},
  action: Partial<NetworkAction> = {},
) {
  const make = createFactories(Math.floor(Math.random() * 1e9));
  const { account } = await storedAccount(storage, make, overrides);
  return { storage, make, account, job: await make.scheduledJob(storage, account, { action }) };
}

/** The same, with its one action claimed. */
export async function withClaimed(
  storage: Storage,
  overrides: Partial<NetworkAccount> = {},
  action: Partial<NetworkAction> = {},
  now = startOfTests,
) {
  const world = await withScheduled(storage, overrides, action);
  const due = await claimAction(storage, now);
  return { ...world, due, job: due.job };
}
