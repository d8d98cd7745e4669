/**
 * What a pure, synchronous function of facts returns: the outcome for the caller, and the changes that the store must
 * apply for it, in order and in one transaction. Every storage engine applies the same decisions.
 */
export type Decision<Outcome, Change> = { outcome: Outcome; changes: readonly Change[] };
