-- Whose request it was, so that who is erased from one user's data is erased from the answers kept for that user.
-- Unknown for those from before, which are forgotten within a day.
ALTER TABLE idempotent_requests ADD COLUMN owner INTEGER;
