-- What was sent before there were conversations, and the texts of replies that the event log still has. All of it counts as
-- read. The program adds the conversations, whose IDs it derives from account and person.
CREATE TEMP TABLE old_messages AS
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
  SELECT 'reply-' || events.seq, accounts.workspace_id, accounts.seq, events.data ->> '$.profileUrl',
    events.data ->> '$.profileUrl', events.lead_id, events.data ->> '$.text', events.at, 'message', 'received', events.at, NULL
  FROM events JOIN network_accounts AS accounts ON accounts.id = events.account_id
  WHERE events.type = 'message.replied' AND events.data ->> '$.text' IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM events AS news WHERE news.type = 'message.received'
      AND news.account_id = events.account_id AND news.data ->> '$.profileUrl' = events.data ->> '$.profileUrl');
