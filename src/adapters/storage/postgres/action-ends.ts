import { decideEnd } from "../../../features/network/decisions/attempts.ts";
import type { Target } from "../../../features/network/decisions/facts.ts";
import type { ActionEnd } from "../../../features/network/queue-model.ts";
import type { JobClaim } from "../../../platform/jobs/model.ts";
import { isHeld } from "../../../platform/jobs/transitions.ts";
import type { Connection, Engine } from "./engine.ts";
import { lockAccounts } from "./network-accounts.ts";
import { writeChanges } from "./network-changes.ts";
import { LoadedFacts, loadTargets } from "./network-facts.ts";
import { networkActions } from "./network-tables.ts";
import { oneOf } from "./one-of.ts";
import { transactAnew } from "./outdated.ts";

export type Ended = { claim: JobClaim; end: ActionEnd };

/** Ends actions in one transaction. False for those whose claim is void: nothing was written about them. */
export function endActions(engine: Engine, ended: readonly Ended[]): Promise<boolean[]> {
  return transactAnew(engine, async (connection) => {
    const targets = new Map((await lockTargets(connection, ended)).map((target) => [target.job.id, target]));
    const held = ended.map(({ claim, end }) => {
      const target = targets.get(claim.id);
      if (target === undefined || !isHeld(target.job, claim)) return null;
      // A second end of the same claim comes too late.
      targets.delete(claim.id);
      return { target, end };
    });
    for (const round of rounds(held.filter((each) => each !== null))) {
      const facts = new LoadedFacts(connection, engine);
      await facts.preloadContacts(round.map(({ target }) => target));
      const changes = await facts.decide(() => round.flatMap(({ target, end }) => decideEnd(target, end, facts)));
      await writeChanges(connection, changes);
    }
    return held.map((each) => each !== null);
  });
}

async function lockTargets(connection: Connection, ended: readonly Ended[]): Promise<Target[]> {
  const jobIds = ended.map(({ claim }) => claim.id);
  const found = await connection
    .selectDistinct({ account: networkActions.account })
    .from(networkActions)
    .where(oneOf(networkActions.jobId, jobIds));
  const accounts = await lockAccounts(
    connection,
    found.map(({ account }) => account),
  );
  return loadTargets(connection, jobIds, accounts);
}

/** All that a decision about an end sees of other actions is the contact, which the end before it may have changed. */
function rounds<T extends { target: Target }>(held: readonly T[]): T[][] {
  const found: T[][] = [];
  const person = ({ target: { row } }: T): string => `${row.account} ${row.profileKey}`;
  for (const ofPerson of Map.groupBy(held, person).values())
    for (const [round, each] of ofPerson.entries()) (found[round] ??= []).push(each);
  return found;
}
