import { StartError } from "../../../platform/base/start-error.ts";
import { connect, type EngineOptions } from "../postgres/engine.ts";
import { copyState } from "../postgres/migrate.ts";
import { refuseData } from "./postgres-contents.ts";
import { refuseRunningNodes } from "./postgres-nodes.ts";
import { hasTable, postgresState } from "./postgres-state.ts";

/**
 * Whether a database contains what an interrupted restore has left, which the next one replaces. Throws `StartError` if it
 * contains anything else. `source`: how the source of a restore begins, which `CopyTarget` stores.
 */
export async function hasUnfinishedRestore(
  url: string,
  shown: string,
  source: string,
  options: EngineOptions,
): Promise<boolean> {
  const client = connect(url, { ...options, poolSize: 1 });
  const hint = "Restore to an empty database, such as a new one that `createdb` creates.";
  try {
    if (await hasTable(client, "nodes")) await refuseRunningNodes(client, shown);
    if (await hasTable(client, copyState)) {
      const stored = (await postgresState.read<string>(client, "source")) ?? "";
      if (stored.startsWith(source)) return true;
      throw new StartError(`A copy from ${stored} to ${shown} is not complete.`, { hint });
    }
    if (await hasTable(client, "schema_migrations")) await refuseData(client, shown, hint);
    return false;
  } finally {
    await client.end();
  }
}
