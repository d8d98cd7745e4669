-- What people did, by time: invitations they accepted, and messages they wrote.
CREATE INDEX network_contacts_accepted ON network_contacts (account, connected_at)
  WHERE connected_at IS NOT NULL AND invited_at IS NOT NULL;
CREATE INDEX messages_received_at ON messages (workspace_id, at, conversation) WHERE state = 'received';
