import { asc, eq, gt, lt, lte, or, sql } from "drizzle-orm";
import type { ClusterStore, Pulse } from "../../../platform/cluster/store.ts";
import type { MaintenanceState } from "../../../platform/operations/model.ts";
import { serverState } from "./access-tables.ts";
import { clusterLead, keysVersion, nodes } from "./cluster-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import type { EventLog } from "./event-log.ts";
import { eventPositions } from "./event-tables.ts";
import { firstPending } from "./first-pending.ts";
import { events } from "./tables.ts";
import { webhookDeliveries, webhookEndpoints } from "./webhook-tables.ts";

export function createClusterStore({ orm, poolUse }: Engine, log: EventLog): ClusterStore {
  const pulse = sql`SELECT
    (SELECT ${keysVersion.version} FROM ${keysVersion}) AS keys,
    (SELECT string_agg(type.name || due.at, ' ' ORDER BY type.name) FROM ${firstPending}) AS jobs,
    (SELECT concat_ws(' ', min(${webhookEndpoints.dueAt}), max(${webhookEndpoints.updatedAt}), count(*))
      FROM ${webhookEndpoints}) AS endpoints,
    (SELECT ${webhookDeliveries.askedAt} FROM ${webhookDeliveries} WHERE ${webhookDeliveries.askedAt} IS NOT NULL
      ORDER BY ${webhookDeliveries.askedAt} DESC LIMIT 1) AS asked,
    (SELECT ${eventPositions.event} FROM ${eventPositions} WHERE ${eventPositions.name} = 'numbered') AS position,
    EXISTS (SELECT 1 FROM ${events} WHERE ${events.position} IS NULL) AS "hasPending",
    (SELECT ${serverState.value} FROM ${serverState} WHERE ${serverState.name} = 'maintenance') AS maintenance`;

  return {
    async installationId(proposed) {
      await orm.insert(serverState).values({ name: "installation", value: proposed }).onConflictDoNothing();
      // As text: drizzle would parse the string once more, and 8 hex digits such as 12e34567 are a number.
      const id = sql<string>`${serverState.value} #>> '{}'`;
      const [row] = await orm.select({ id }).from(serverState).where(eq(serverState.name, "installation"));
      return row!.id;
    },
    time: () => readTime(orm),
    poolUse,
    async pulse(): Promise<Pulse> {
      const [found] = await orm.execute<{
        keys: number;
        jobs: string | null;
        endpoints: string;
        asked: number | null;
        position: number | null;
        hasPending: boolean;
        maintenance: MaintenanceState | null;
      }>(pulse);
      const { keys, jobs: dueJobs, endpoints, asked, position, hasPending, maintenance } = found!;
      await log.follow(position ?? 0, hasPending);
      return { keysVersion: keys, dueJobs: dueJobs ?? "", dueWebhooks: `${endpoints} ${asked}`, maintenance };
    },
    join: async (node) => {
      await orm.insert(nodes).values(node).onConflictDoUpdate({ target: nodes.id, set: node });
    },
    beat: async (id, beat) =>
      (await orm.update(nodes).set(beat).where(eq(nodes.id, id)).returning({ id: nodes.id })).length > 0,
    leave: async (id) => void (await orm.delete(nodes).where(eq(nodes.id, id))),
    nodes: () => orm.select().from(nodes).orderBy(asc(nodes.startedAt), asc(nodes.id)),
    keysVersion: async () => (await orm.select().from(keysVersion))[0]?.version ?? 0,
    forget: async (seenBefore) => void (await orm.delete(nodes).where(lt(nodes.seenAt, seenBefore))),
    lead: async (holder, now, until) => {
      const taken = await orm
        .insert(clusterLead)
        .values({ onlyOne: 1, holder, until })
        .onConflictDoUpdate({
          target: clusterLead.onlyOne,
          set: { holder, until },
          setWhere: or(eq(clusterLead.holder, holder), lte(clusterLead.until, now)),
        })
        .returning({ holder: clusterLead.holder });
      return taken.length > 0;
    },
    resign: async (holder) => void (await orm.delete(clusterLead).where(eq(clusterLead.holder, holder))),
    leader: async (now) => {
      const [lead] = await orm.select().from(clusterLead).where(gt(clusterLead.until, now));
      return lead?.holder ?? null;
    },
  };
}

/** Time of the database, in milliseconds since 1970. */
export async function readTime(orm: Pick<Connection, "execute">): Promise<number> {
  // Not `now()`, the start of the transaction.
  const [row] = await orm.execute<{ at: number }>(
    sql`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at`,
  );
  return row!.at;
}
