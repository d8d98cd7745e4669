-- Which prospects were paid for, and when last: to see one again costs nothing for a while. seq: that of the prospect,
-- whose directory has one user. A number is never given to another prospect, so a row that outlives its own does no harm.
CREATE TABLE prospect_reveals (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;
