import { goneAfterMs } from "../../../platform/cluster/model.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import type { Copier } from "./postgres-copy.ts";

/** Throws `StartError` if a server uses the database. */
export async function refuseRunningNodes(client: Copier, shown: string): Promise<void> {
  const [node] = await client.unsafe<{ host: string; pid: number }[]>(
    `SELECT host, pid FROM nodes
     WHERE seen_at > floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - ${goneAfterMs} ORDER BY id LIMIT 1`,
  );
  if (node === undefined) return;
  throw new StartError(`A server on ${node.host} (process ${node.pid}) is using the database ${shown}.`, {
    hint: `Stop all servers that use it. One that was killed counts as running for ${goneAfterMs / 1000} seconds.`,
  });
}
