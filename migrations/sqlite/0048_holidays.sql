-- Days on which nothing is sent: ranges of local dates, with names.
ALTER TABLE network_accounts ADD COLUMN holidays TEXT NOT NULL DEFAULT '[]';
