import { and, eq, sql } from "drizzle-orm";
import { recordingOf } from "../../../features/inbox/recording.ts";
import type { NetworkChange } from "../../../features/network/decisions/changes.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import { meterCode } from "../meter-code.ts";
import type { NetworkParts } from "./network-facts.ts";
import type { ChangeWriter } from "./network-change-writer.ts";
import { networkMeters } from "./network-tables.ts";
import { newValueOf } from "./parameter.ts";
import { lazy } from "./prepared.ts";
import { jobs } from "./tables.ts";

type Change<Kind extends NetworkChange["kind"]> = Extract<NetworkChange, { kind: Kind }>;

export function createChangeWriter({ orm }: Engine, parts: NetworkParts, events: EventRows): ChangeWriter {
  const { accounts, actions, contacts, jobRows, origin, inbox } = parts;
  const placeholder = sql.placeholder;
  const wait = lazy(() =>
    orm
      .update(jobs)
      .set({
        status: newValueOf("status"),
        runAt: newValueOf("runAt"),
        leaseUntil: newValueOf("leaseUntil"),
        message: newValueOf("message"),
        updatedAt: newValueOf("at"),
      })
      .where(eq(jobs.id, placeholder("jobId")))
      .prepare(),
  );
  const lease = lazy(() =>
    orm
      .update(jobs)
      .set({
        status: "running",
        attempt: sql`${jobs.attempt} + 1`,
        leaseUntil: newValueOf("until"),
        updatedAt: newValueOf("at"),
      })
      .where(sql`${jobs.id} IN (SELECT value FROM json_each(${placeholder("jobIds")}))`)
      .prepare(),
  );
  const isMeter = [networkMeters.account, networkMeters.meter];
  const ofMeter = { account: placeholder("account"), meter: placeholder("meter") };
  const freeSlot = lazy(() =>
    orm
      .insert(networkMeters)
      .values({ ...ofMeter, freeAt: placeholder("at") })
      .onConflictDoUpdate({
        target: isMeter,
        set: { freeAt: sql`min(coalesce(${networkMeters.freeAt}, excluded.free_at), excluded.free_at)` },
      })
      .prepare(),
  );
  const setFrontier = lazy(() =>
    orm
      .insert(networkMeters)
      .values({ ...ofMeter, frontierAt: placeholder("at") })
      .onConflictDoUpdate({ target: isMeter, set: { frontierAt: sql`excluded.frontier_at` } })
      .prepare(),
  );
  const setGap = lazy(() =>
    orm
      .update(networkMeters)
      .set({ freeAt: newValueOf("at") })
      .where(and(eq(networkMeters.account, placeholder("account")), eq(networkMeters.meter, placeholder("meter"))))
      .prepare(),
  );

  function writeOne(change: Exclude<NetworkChange, { kind: "send" | "lease" }>): void {
    switch (change.kind) {
      case "insert":
        jobRows.insert(change.job);
        return actions.insert(change.action, change.account, change.used);
      case "closeTwins":
        return actions.closeTwins(change.seqs);
      case "state":
        return actions.setState(change.row, change);
      case "end":
        return actions.end(change.row, change);
      case "content":
        return actions.edit(change.row, change);
      case "notBefore":
        return actions.setNotBefore(change.row, change.notBefore);
      case "reference":
        return actions.setReference(change.row, change.reference);
      case "wait":
        wait().run(change);
        return;
      case "job":
        jobRows.write(change.job, change.change);
        return;
      case "freeSlot":
        freeSlot().run({ ...change, meter: meterCode(change.meter) });
        return;
      case "frontier":
        setFrontier().run({ ...change, meter: meterCode(change.meter) });
        return;
      case "gap":
        setGap().run({ ...change, meter: meterCode(change.meter) });
        return;
      case "coolDown":
        return accounts.coolDown(change.account, change.coolDown);
      case "queue":
        return accounts.queueChanged(change.account, change.replan);
      case "settings":
        return accounts.update(change.account, change.values, change.replan);
      case "releaseWorkerQueue":
        return accounts.releaseWorkerQueue(change.account);
      case "signOut":
        return accounts.disconnect(change.account, change.reason, change.at);
      case "contact":
        return contacts.upsert(change.contact);
      case "reported":
        return;
      case "event":
        return events.append(change.event);
      case "origin":
        return origin.notify(change.news);
    }
  }

  function record(change: NetworkChange): void {
    const recording = recordingOf(change);
    if (recording !== null) inbox.record(recording);
  }

  /** Writes all leases of a decision with one statement, which costs half. `writeSends` does the same. */
  function writeLeases(leases: readonly Change<"lease">[]): void {
    for (const group of groupsOf(leases, ({ at, until }) => `${at} ${until}`)) {
      const [{ at, until }] = group;
      lease().run({ until, at, jobIds: JSON.stringify(group.map(({ jobId }) => jobId)) });
    }
  }

  function writeSends(sends: readonly Change<"send">[]): void {
    for (const group of groupsOf(sends, ({ at, pendingReason }) => `${at} ${pendingReason}`)) {
      const [{ at, pendingReason }] = group;
      actions.markSending(
        group.map(({ row }) => row.seq),
        pendingReason,
        at,
      );
    }
  }

  return (changes) => {
    const leases: Change<"lease">[] = [];
    const sends: Change<"send">[] = [];
    for (const change of changes)
      if (change.kind === "lease") leases.push(change);
      else if (change.kind === "send") sends.push(change);
      else {
        writeOne(change);
        record(change);
      }
    writeSends(sends);
    writeLeases(leases);
  };
}

function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  return [...Map.groupBy(items, keyOf).values()] as [T, ...T[]][];
}
