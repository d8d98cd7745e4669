-- Prospects that turned out to be one person: the seq of the record that went up in another leads to that one, so that
-- ids that clients know go on to work. A target is never an alias itself.
CREATE TABLE prospect_aliases (
  seq INTEGER PRIMARY KEY,
  into_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX prospect_aliases_by_target ON prospect_aliases (into_seq);

-- prospects.keys is empty from here on: hashes are made of the content, so that their rules may change.
