import type { Database } from "bun:sqlite";
import { conversationId } from "../../../features/network/message-ids.ts";

/** Starts conversations with what migration 0064 has found in older tables. */
export function startConversations(database: Database): void {
  database.run("CREATE INDEX temp.old_messages_of_person ON old_messages (account, profile_key)");
  const insert = database.prepare(insertConversation);
  const people = database
    .query<{ account: number; accountId: string; profileKey: string }, []>(
      `SELECT DISTINCT old.account, accounts.id AS accountId, old.profile_key AS profileKey
       FROM old_messages AS old JOIN network_accounts AS accounts ON accounts.seq = old.account`,
    )
    .all();
  for (const { account, accountId, profileKey } of people)
    insert.run(conversationId(accountId, profileKey), account, profileKey);
  database.run(insertMessages);
  database.run(markAsRead);
  database.run("DROP TABLE old_messages");
}

const insertConversation = `INSERT INTO conversations (id, workspace_id, account, profile_key, profile_url, person_name, lead_id, unread, read_to,
  last_at, last_state, last_text, created_at, updated_at)
  SELECT ?1, old.workspace_id, old.account, old.profile_key, old.profile_url,
    nullif(trim(coalesce(leads.first_name, '') || ' ' || coalesce(leads.last_name, '')), ''), old.lead_id, 0, 0,
    CASE WHEN old.state = 'queued' THEN old.created_at ELSE old.at END, old.state, substr(old.text, 1, 160),
    old.created_at, old.created_at
  FROM old_messages AS old LEFT JOIN leads ON leads.id = old.lead_id
  WHERE old.account = ?2 AND old.profile_key = ?3
  ORDER BY old.state = 'queued', old.at DESC LIMIT 1
ON CONFLICT (account, profile_key) DO NOTHING`;

const insertMessages = `INSERT INTO messages (id, workspace_id, conversation, profile_key, kind, state, text, at, user_id, created_at)
  SELECT old.id, old.workspace_id, conversations.seq, old.profile_key, old.kind, old.state, old.text, old.at, old.user_id,
    old.created_at
  FROM old_messages AS old JOIN conversations
    ON conversations.account = old.account AND conversations.profile_key = old.profile_key
  WHERE true ORDER BY old.created_at
ON CONFLICT (id) DO NOTHING`;

const markAsRead = `UPDATE conversations SET read_to = known.last, received_at = coalesce(conversations.received_at, known.received_at)
  FROM (SELECT conversation, max(seq) AS last, max(at) FILTER (WHERE state = 'received') AS received_at
    FROM messages GROUP BY conversation) AS known
  WHERE known.conversation = conversations.seq AND conversations.unread = 0`;
