-- A page of all events of an owner is put together from those of each type, so that a list of them alone need not be
-- kept: it was a fifth of what storing an event wrote.
DROP INDEX events_by_owner;
