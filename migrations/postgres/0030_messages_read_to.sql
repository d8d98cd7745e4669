-- Up to when the messages of the account have been read from the network. Null: never.
ALTER TABLE network_accounts ADD COLUMN messages_read_to BIGINT;
