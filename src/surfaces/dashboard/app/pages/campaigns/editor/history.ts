/** Past and future states of something that is edited. */
export type History<State> = {
  past: readonly State[];
  present: State;
  future: readonly State[];
  /** Edits in a row with the same key, such as keystrokes in a field, are undone together. */
  key: string | null;
};

/** Enough for a session of work, and bounded. */
const maxPast = 200;

export function historyOf<State>(present: State): History<State> {
  return { past: [], present, future: [], key: null };
}

export function edited<State>(history: History<State>, present: State, key: string | null = null): History<State> {
  const isSameEdit = key !== null && key === history.key;
  const past = isSameEdit ? history.past : [...history.past, history.present].slice(-maxPast);
  return { past, present, future: [], key };
}

/** Changes the present without a step to undo, such as a selection. */
export function adjusted<State>(history: History<State>, present: State): History<State> {
  return { ...history, present, key: null };
}

export function undone<State>(history: History<State>): History<State> {
  const { past, present, future } = history;
  const before = past.at(-1);
  if (before === undefined) return history;
  return { past: past.slice(0, -1), present: before, future: [present, ...future], key: null };
}

export function redone<State>(history: History<State>): History<State> {
  const { past, present, future } = history;
  const [next, ...rest] = future;
  if (next === undefined) return history;
  return { past: [...past, present], present: next, future: rest, key: null };
}
