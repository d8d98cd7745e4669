-- The user who began a job, and who did what an event tells; null for what the server does by itself.
ALTER TABLE jobs ADD COLUMN user_id TEXT;
ALTER TABLE events ADD COLUMN actor_id TEXT;
