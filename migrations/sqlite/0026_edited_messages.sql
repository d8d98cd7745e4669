-- What a client wrote in the place of a job's message; shown until the job ends, and then the result is.
ALTER TABLE jobs ADD COLUMN edited_message TEXT;
