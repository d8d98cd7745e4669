-- A merge of two leads lets the prospects of one refer to the other.
CREATE INDEX prospects_by_lead ON prospects (lead_id) WHERE lead_id IS NOT NULL;
