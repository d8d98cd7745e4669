-- A clone's status, progress and message are those of its latest training (job_id), so that they can't disagree.
CREATE TABLE voice_clones (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  labels TEXT NOT NULL,
  settings TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  engine TEXT NOT NULL,
  consent TEXT,
  quality TEXT,
  job_id TEXT NOT NULL REFERENCES jobs (id),
  trained_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX voice_clones_by_user ON voice_clones (user_id, created_at);
CREATE INDEX voice_clones_by_job ON voice_clones (job_id);

CREATE TABLE voice_samples (
  id TEXT PRIMARY KEY,
  clone_id TEXT NOT NULL REFERENCES voice_clones (id) ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  format TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  has_original INTEGER NOT NULL,
  derived_bytes INTEGER NOT NULL,
  quality TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX voice_samples_by_clone ON voice_samples (clone_id, created_at);

-- What a clone speaks with, in the words of its engine.
CREATE TABLE voice_artefacts (
  clone_id TEXT PRIMARY KEY REFERENCES voice_clones (id) ON DELETE CASCADE,
  engine TEXT NOT NULL,
  artefact TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Voices that a vendor still keeps for a clone that is gone or was trained anew.
CREATE TABLE voice_removals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  engine TEXT NOT NULL,
  artefact TEXT NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Triggers, so that no way to delete a clone, or its user, forgets the vendor. The built-in engine keeps nothing.
CREATE TRIGGER voice_artefacts_deleted AFTER DELETE ON voice_artefacts WHEN OLD.engine <> 'local'
BEGIN
  INSERT INTO voice_removals (engine, artefact) VALUES (OLD.engine, OLD.artefact);
END;
CREATE TRIGGER voice_artefacts_replaced AFTER UPDATE ON voice_artefacts
WHEN OLD.engine <> 'local' AND (OLD.engine <> NEW.engine OR OLD.artefact <> NEW.artefact)
BEGIN
  INSERT INTO voice_removals (engine, artefact) VALUES (OLD.engine, OLD.artefact);
END;
