import { sql, type SQL } from "drizzle-orm";
import { keysFrom, maxParents } from "../../features/inbox/handles.ts";
import { searchedMessages } from "../../features/inbox/words.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/**
 * What profile keys begin with, up to their last part, such as "https://network.example/in/". Found by jumping through the
 * index, from one beginning to the next.
 */
export const parents = sql`WITH RECURSIVE keys (key, n) AS (
    SELECT min(profile_key), 1 FROM conversations WHERE profile_key >= 'https://' AND profile_key < 'https:0'
    UNION ALL
    SELECT (SELECT min(profile_key) FROM conversations
      WHERE profile_key >= rtrim(rtrim(key, replace(key, '/', '')), '/') || '0' AND profile_key < 'https:0'), n + 1
    FROM keys WHERE key IS NOT NULL AND n < ${maxParents}
  ) SELECT DISTINCT rtrim(key, replace(key, '/', '')) AS parent FROM keys WHERE key IS NOT NULL`;

/** The numbers of conversations of the workspace with people whose profile key begins with the parent and the handle. */
export function ofHandle(workspaceId: WorkspaceId, parent: string, handle: string): SQL {
  const { from, to } = keysFrom(parent + handle);
  // Limited before the workspace is compared, and in order, so that the handle itself is always among them.
  return sql`SELECT seq FROM (SELECT seq, workspace_id FROM conversations
    WHERE profile_key >= ${from} AND profile_key < ${to} ORDER BY profile_key LIMIT ${searchedMessages}) AS found
    WHERE workspace_id = ${workspaceId}`;
}
