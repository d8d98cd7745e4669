-- The user whose account it is, and whether all members may act with it. No reference: accounts of a workspace outlive
-- its members.
ALTER TABLE network_accounts ADD COLUMN member_id TEXT;
ALTER TABLE network_accounts ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 1;
UPDATE network_accounts SET member_id = (
  SELECT user_id FROM members
  WHERE members.workspace_id = network_accounts.workspace_id AND role = 'owner'
  ORDER BY created_at, user_id LIMIT 1
);
