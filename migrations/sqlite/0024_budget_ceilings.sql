-- How far the owner of a key may lift its budget: what an admin has set; null where no admin has. Who set those of before
-- is not known, so they can be lifted by an admin only.
ALTER TABLE credit_budgets ADD COLUMN ceiling INTEGER;
UPDATE credit_budgets SET ceiling = monthly;
