-- Use of the connections of a node; null if its version does not report it.
ALTER TABLE nodes ADD COLUMN pool JSONB;
