import type { NetworkChange } from "../../../features/network/decisions/changes.ts";

/** Writes the changes of a decision, inside a write unit. */
export type ChangeWriter = (changes: readonly NetworkChange[]) => void;
