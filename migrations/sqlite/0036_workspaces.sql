-- What a user owned alone belongs to a workspace: the same rows under the same IDs. Indexes keep their names, because
-- renaming one means building it again.
ALTER TABLE api_keys RENAME COLUMN user_id TO workspace_id;
ALTER TABLE audit_log RENAME COLUMN user_id TO workspace_id;
ALTER TABLE campaign_enrollments RENAME COLUMN user_id TO workspace_id;
ALTER TABLE campaigns RENAME COLUMN user_id TO workspace_id;
ALTER TABLE credit_balances RENAME COLUMN user_id TO workspace_id;
ALTER TABLE credit_ledger RENAME COLUMN user_id TO workspace_id;
ALTER TABLE credit_reservations RENAME COLUMN user_id TO workspace_id;
ALTER TABLE enrichment_settings RENAME COLUMN user_id TO workspace_id;
ALTER TABLE jobs RENAME COLUMN user_id TO workspace_id;
ALTER TABLE network_accounts RENAME COLUMN user_id TO workspace_id;
ALTER TABLE network_actions RENAME COLUMN user_id TO workspace_id;
ALTER TABLE saved_searches RENAME COLUMN user_id TO workspace_id;
ALTER TABLE voice_clones RENAME COLUMN user_id TO workspace_id;

-- The payload of an erasure names its owner, and so does the audit entry in it.
UPDATE jobs SET payload = json_remove(
    json_set(payload, '$.scope.workspaceId', payload ->> '$.scope.userId', '$.audit.workspaceId', payload ->> '$.audit.userId'),
    '$.scope.userId', '$.audit.userId')
  WHERE type = 'person_erasure';
