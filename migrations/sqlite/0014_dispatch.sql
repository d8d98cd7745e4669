-- What an action's way through its states costs: each change of state wrote these indexes anew, at random places, and
-- tested a list of states, for which SQLite builds a table each time it looks; it does not for alternatives.

-- Whether an action with this target and kind is on its way is asked of few rows: 1 for all that may be, which an action
-- keeps when it ends, until somebody looks for a twin of it and finds that it has.
ALTER TABLE network_actions ADD COLUMN may_be_open INTEGER NOT NULL DEFAULT 1;
UPDATE network_actions SET may_be_open = 0
  WHERE state NOT IN ('awaitingApproval', 'scheduled', 'sending', 'awaiting');
DROP INDEX network_actions_open;
CREATE INDEX network_actions_twins ON network_actions (account, target_key, action_type) WHERE may_be_open = 1;

DROP INDEX network_actions_waiting;
CREATE INDEX network_actions_waiting ON network_actions (account, state, updated_at)
  WHERE state = 'awaitingApproval' OR state = 'awaiting' OR state = 'unknown';
