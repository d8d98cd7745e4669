-- Users take turns: whose turn it is, and the longest waiting job of that user. Actions of the network have a queue of
-- their own.
CREATE INDEX jobs_in_turn ON jobs (type, user_id, run_at, id) WHERE status = 'pending' AND type <> 'linkedin_action';
