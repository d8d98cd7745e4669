-- Who has said what they know of the person, so that a repeat asks whoever could not be asked then. Of results from before
-- only those are known whose word is in them. For which parts it was asked no longer matters: who was paid for is free.
ALTER TABLE enrichment_results RENAME COLUMN groups TO asked;
UPDATE enrichment_results SET asked = (
  SELECT json_group_array(DISTINCT said.value)
  FROM json_each(fields) AS field, json_each(field.value, '$.providers') AS said
);
