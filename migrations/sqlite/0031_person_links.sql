-- The do-not-contact list holds for a person: these find what is stored beside a phone number or a profile. The last
-- seven digits narrow the search; the reader compares the complete numbers. An extension begins with "x" or "ext".
CREATE INDEX leads_by_phone ON leads (
  owner,
  substr(replace(replace(replace(replace(replace(replace(replace(
    substr(lower(phone), 1, instr(lower(phone) || 'x', 'x') - 1),
    'e', ''), ' ', ''), '-', ''), '.', ''), '/', ''), '(', ''), ')', ''), -7)
) WHERE phone IS NOT NULL;
CREATE INDEX network_actions_by_profile ON network_actions (profile_key, user_id, lead_id) WHERE lead_id IS NOT NULL;
