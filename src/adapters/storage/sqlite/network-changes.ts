import type { NetworkChange } from "../../../features/network/decisions/changes.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import { meterCode } from "../meter-code.ts";
import type { NetworkParts } from "./network-facts.ts";
import { prepared } from "./prepared.ts";
import type { ChangeWriter } from "./network-change-writer.ts";

type Change<Kind extends NetworkChange["kind"]> = Extract<NetworkChange, { kind: Kind }>;

export function createChangeWriter({ database }: Engine, parts: NetworkParts, events: EventRows): ChangeWriter {
  const { accounts, actions, contacts, jobRows, origin } = parts;
  const wait = prepared(
    database,
    "UPDATE jobs SET status = ?, run_at = ?, lease_until = ?, message = ?, updated_at = ? WHERE id = ?",
  );
  const lease = prepared(
    database,
    "UPDATE jobs SET status = 'running', attempt = attempt + 1, lease_until = ?, updated_at = ?" +
      " WHERE id IN (SELECT value FROM json_each(?))",
  );
  const freeSlot = prepared(
    database,
    "INSERT INTO network_meters (account, meter, free_at) VALUES (?, ?, ?) ON CONFLICT (account, meter)" +
      " DO UPDATE SET free_at = min(coalesce(free_at, excluded.free_at), excluded.free_at)",
  );
  const setFrontier = prepared(
    database,
    "INSERT INTO network_meters (account, meter, frontier_at) VALUES (?, ?, ?)" +
      " ON CONFLICT (account, meter) DO UPDATE SET frontier_at = excluded.frontier_at",
  );
  const setGap = prepared(database, "UPDATE network_meters SET free_at = ? WHERE account = ? AND meter = ?");

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
        wait.run(change.status, change.runAt, change.leaseUntil, change.message, change.at, change.jobId);
        return;
      case "job":
        jobRows.write(change.job, change.change);
        return;
      case "freeSlot":
        freeSlot.run(change.account, meterCode(change.meter), change.at);
        return;
      case "frontier":
        setFrontier.run(change.account, meterCode(change.meter), change.at);
        return;
      case "gap":
        setGap.run(change.at, change.account, meterCode(change.meter));
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
      case "event":
        return events.append(change.event);
      case "origin":
        return origin.notify(change.news);
    }
  }

  /** Writes all leases of a decision with one statement, which costs half. `writeSends` does the same. */
  function writeLeases(leases: readonly Change<"lease">[]): void {
    for (const group of groupsOf(leases, ({ at, until }) => `${at} ${until}`)) {
      const [{ at, until }] = group;
      lease.run(until, at, JSON.stringify(group.map(({ jobId }) => jobId)));
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
      else writeOne(change);
    writeSends(sends);
    writeLeases(leases);
  };
}

function groupsOf<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  return [...Map.groupBy(items, keyOf).values()] as [T, ...T[]][];
}
