-- By step: the variant of its text that the lead was assigned.
ALTER TABLE campaign_enrollments ADD COLUMN variants TEXT NOT NULL DEFAULT '{}';
