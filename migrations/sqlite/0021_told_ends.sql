-- Backups that are being made, which tells those that were cut off together with their process. Archives are files.
CREATE TABLE backups_begun (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
