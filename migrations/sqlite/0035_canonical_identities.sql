-- Domains are compared in Punycode and companies without their legal form, by every feature. Hints are learned again in
-- the background. Hashes, which SQL cannot compute, are rebuilt by src/adapters/storage/sqlite/rebuild-identities.ts;
-- directories rebuild their own index when the rules of its terms change.
DELETE FROM lead_hints;
DELETE FROM lead_hints_done;
DELETE FROM lead_import_note_keys;
DELETE FROM enrichment_result_keys;
