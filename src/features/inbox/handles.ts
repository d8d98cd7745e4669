/** More kinds of profile URLs than networks have: each takes one look into an index. */
export const maxParents = 16;

/** The range of keys that begin with a text, the end excluded. */
export function keysFrom(prefix: string): { from: string; to: string } {
  return { from: prefix, to: `${prefix}\u{10ffff}` };
}
