-- What was sent before there were conversations, and the texts of replies that the event log still has. All of it counts as
-- read. The IDs are those that the program derives from account and person.
CREATE TEMP TABLE old_messages ON COMMIT DROP AS
  SELECT actions.job_id AS id, actions.workspace_id, actions.account, actions.profile_key, actions.profile_url,
    actions.lead_id, actions.message AS text, actions.created_at,
    CASE actions.action_type WHEN 'sendMessage' THEN 'message' WHEN 'sendInMail' THEN 'inMail'
      WHEN 'sendVoiceMessage' THEN 'voiceMessage' ELSE 'connectionRequest' END AS kind,
    CASE WHEN actions.state IN ('awaitingApproval', 'scheduled', 'sending', 'awaiting') THEN 'queued'
      WHEN actions.state = 'completed' THEN 'sent' WHEN actions.state = 'unknown' THEN 'unknown' ELSE 'failed' END AS state,
    CASE WHEN actions.state IN ('awaitingApproval', 'scheduled', 'sending', 'awaiting') THEN 8640000000000000
      ELSE coalesce(actions.slot_at, actions.updated_at) END AS at,
    CASE WHEN actions.campaign_id IS NULL THEN jobs.user_id END AS user_id
  FROM network_actions AS actions JOIN jobs ON jobs.id = actions.job_id
  WHERE actions.message IS NOT NULL AND actions.state <> 'canceled' AND actions.profile_key <> 'erased'
    AND actions.action_type IN ('sendMessage', 'sendInMail', 'sendVoiceMessage', 'sendConnectionRequest');
INSERT INTO old_messages
  SELECT 'reply-' || events.id, accounts.workspace_id, accounts.seq, events.data ->> 'profileUrl',
    events.data ->> 'profileUrl', events.lead_id, events.data ->> 'text', events.at, 'message', 'received', events.at, NULL
  FROM events JOIN network_accounts AS accounts ON accounts.id = events.account_id
  WHERE events.type = 'message.replied' AND events.data ->> 'text' IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM events AS news WHERE news.type = 'message.received'
      AND news.account_id = events.account_id AND news.data ->> 'profileUrl' = events.data ->> 'profileUrl');
INSERT INTO conversations (id, workspace_id, account, profile_key, profile_url, person_name, lead_id, unread, read_to,
  last_at, last_state, last_text, created_at, updated_at)
  SELECT DISTINCT ON (old.account, old.profile_key)
    left(encode(sha256(convert_to(
      '[' || to_json(accounts.id)::text || ',' || to_json(old.profile_key)::text || ']', 'UTF8')), 'hex'), 30),
    old.workspace_id, old.account, old.profile_key, old.profile_url,
    nullif(concat_ws(' ', leads.first_name, leads.last_name), ''), old.lead_id, 0, 0,
    CASE WHEN old.state = 'queued' THEN old.created_at ELSE old.at END, old.state, left(old.text, 160), old.created_at,
    old.created_at
  FROM old_messages AS old JOIN network_accounts AS accounts ON accounts.seq = old.account
    LEFT JOIN leads ON leads.id = old.lead_id
  ORDER BY old.account, old.profile_key, old.state = 'queued', old.at DESC
ON CONFLICT (account, profile_key) DO NOTHING;
INSERT INTO messages (id, workspace_id, conversation, profile_key, kind, state, text, at, user_id, created_at)
  SELECT old.id, old.workspace_id, conversations.seq, old.profile_key, old.kind, old.state, old.text, old.at, old.user_id,
    old.created_at
  FROM old_messages AS old JOIN conversations
    ON conversations.account = old.account AND conversations.profile_key = old.profile_key
  ORDER BY old.created_at
ON CONFLICT (id) DO NOTHING;
UPDATE conversations SET read_to = known.last, received_at = coalesce(conversations.received_at, known.received_at)
  FROM (SELECT conversation, max(seq) AS last, max(at) FILTER (WHERE state = 'received') AS received_at
    FROM messages GROUP BY conversation) AS known
  WHERE known.conversation = conversations.seq AND conversations.unread = 0;
