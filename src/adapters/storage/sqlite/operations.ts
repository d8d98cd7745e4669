import type { MaintenanceState } from "../../../platform/operations/model.ts";
import type { OperationsStore } from "../../../platform/operations/store.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";

export function createOperationsStore(engine: Engine, { audits }: CommonRows): OperationsStore {
  const { database, writer } = engine;
  const read = prepared<{ value: string }, [string]>(database, "SELECT value FROM server_state WHERE name = ?");
  const write = prepared(
    database,
    "INSERT INTO server_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const remove = prepared(database, "DELETE FROM server_state WHERE name = ?");
  const latestUse = prepared<{ at: number | null }, []>(database, latestUseSql);

  function kept<T>(name: string): T | null {
    const row = read.get(name);
    return row === null ? null : (JSON.parse(row.value) as T);
  }

  function latestTime(): number | null {
    const moments = [kept<number>("clock"), latestUse.get()?.at ?? null].filter((at) => at !== null);
    return moments.length === 0 ? null : Math.max(...moments);
  }

  return {
    latestTime: async () => latestTime(),
    keepTime: (at) =>
      writer.writeRelaxed(() => {
        if (at > (kept<number>("clock") ?? -Infinity)) write.run("clock", String(at));
      }),
    maintenance: async () => kept<MaintenanceState>("maintenance"),
    setMaintenance: (state, entry) =>
      writer.write(() => {
        if (state === null) remove.run("maintenance");
        else write.run("maintenance", JSON.stringify(state));
        audits.append(entry);
      }),
    acceptTime: (now, entry) =>
      writer.write(() => {
        const aheadMs = Math.max(0, (latestTime() ?? now) - now);
        const { changes: actions } = database.query(countAgainSql).run({ now });
        for (const sql of sinceAheadSql) database.query(sql).run(sql.includes("$aheadMs") ? { now, aheadMs } : { now });
        for (const sql of planAgainSql) database.run(sql);
        write.run("clock", String(now));
        audits.append({ ...entry, details: { ...entry.details, actions } });
        return { actions };
      }),
  };
}

/** By account, so that each look is one step in an index. */
const latestUseSql = `
  SELECT max(at) AS at FROM (
    SELECT (SELECT max(slot_at) FROM network_actions
      WHERE account = network_accounts.seq AND used = 1 AND slot_at IS NOT NULL) AS at FROM network_accounts)`;

const countAgainSql = `
  UPDATE network_actions SET carried_out_at = coalesce(carried_out_at, slot_at), slot_at = $now
    WHERE used = 1 AND slot_at > $now`;

const planAgainSql = [
  "UPDATE network_meters SET frontier_at = NULL, free_at = NULL",
  "UPDATE network_accounts SET needs_plan = 1, queue_version = queue_version + 1",
];

/** Rows that were written since the clock was ahead have an updated_at or created_at that has not come yet. */
const sinceAheadSql = [
  `UPDATE network_actions SET not_before = max($now, not_before - $aheadMs)
    WHERE used = 0 AND updated_at > $now AND not_before > $now`,
  `UPDATE network_meters SET cool_until = cool_until - (cool_since - $now), cool_since = $now WHERE cool_since > $now`,
  `UPDATE jobs SET run_at = max($now, run_at - $aheadMs)
    WHERE status = 'pending' AND run_at > $now AND updated_at > $now AND type <> 'linkedin_action'`,
  `UPDATE jobs SET lease_until = max($now, lease_until - $aheadMs)
    WHERE status = 'running' AND lease_until > $now AND updated_at > $now`,
  `UPDATE campaign_enrollments SET wake_at = max($now, wake_at - $aheadMs) WHERE wake_at > $now AND updated_at > $now`,
  "UPDATE webhook_deliveries SET next_at = $now WHERE next_at > $now",
  "UPDATE webhook_endpoints SET due_at = min(due_at, $now), rests_until = min(rests_until, $now)",
  "DELETE FROM sessions WHERE created_at > $now",
  "DELETE FROM sign_in_links WHERE created_at > $now",
  "DELETE FROM invitations WHERE created_at > $now",
];
