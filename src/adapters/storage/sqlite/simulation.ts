import type { SimulationEvent, SimulationState } from "../../../features/simulation/model.ts";
import type { SimulationStore } from "../../../features/simulation/store.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";

export function createSimulationStore({ database, writer, reader }: Engine): SimulationStore {
  const state = prepared<SimulationState, []>(database, "SELECT seed, now, starts FROM simulation");
  const begin = prepared(
    database,
    `INSERT INTO simulation (only_one, seed, now, starts) VALUES (1, ?, ?, 1)
     ON CONFLICT DO UPDATE SET starts = starts + 1`,
  );
  const setNow = prepared(database, "UPDATE simulation SET now = ?");
  return {
    read: async () => state.get(),
    async start(seed, now) {
      database.run("PRAGMA synchronous = OFF");
      return writer.write(() => {
        begin.run(seed, now);
        return state.get()!;
      });
    },
    setNow: (now) => writer.write(() => void setNow.run(now)),
    eventsBetween: (from, to) => reader.all<SimulationEvent>({ sql: happenedSql, params: [from, to] }),
  };
}

const happenedSql = `
  SELECT j.completed_at AS at, 'action' AS kind, a.workspace_id AS userId, a.job_id AS id, a.action_type AS what, a.state AS outcome
    FROM network_actions AS a JOIN jobs AS j ON j.id = a.job_id WHERE j.completed_at > ?1 AND j.completed_at <= ?2
  UNION ALL
  SELECT c.connected_at, 'accepted', n.workspace_id, c.profile_url, n.id, c.relation
    FROM network_contacts AS c JOIN network_accounts AS n ON n.seq = c.account
    WHERE c.connected_at > ?1 AND c.connected_at <= ?2
  UNION ALL
  SELECT c.replied_at, 'replied', n.workspace_id, c.profile_url, n.id, c.relation
    FROM network_contacts AS c JOIN network_accounts AS n ON n.seq = c.account
    WHERE c.replied_at > ?1 AND c.replied_at <= ?2
  UNION ALL
  SELECT updated_at, 'enrollment', workspace_id, id, campaign_id, coalesce(reason, state)
    FROM campaign_enrollments WHERE state <> 'active' AND updated_at > ?1 AND updated_at <= ?2
  UNION ALL
  SELECT completed_at, 'job', workspace_id, id, type, status
    FROM jobs WHERE type <> 'linkedin_action' AND completed_at > ?1 AND completed_at <= ?2
  ORDER BY 1, 2, 4`;
