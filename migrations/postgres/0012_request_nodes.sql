-- The node that executes a request whose response is not stored yet. Null once its outcome is known to be unknown.
ALTER TABLE idempotent_requests ADD COLUMN node TEXT COLLATE "C";
