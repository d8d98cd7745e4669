-- What the server must know about itself after a restart, by name: the latest time that its clock has shown ("clock"),
-- and whether it is in maintenance mode ("maintenance"). value: JSON.
CREATE TABLE server_state (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When an action was carried out, if it counts for its meters from another moment (slot_at): the operator has declared
-- that the clock was ahead then. Null: slot_at is the moment.
ALTER TABLE network_actions ADD COLUMN carried_out_at INTEGER;
