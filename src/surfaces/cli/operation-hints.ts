import { single } from "fuzzysort";
import { closest, editDistance } from "../../platform/base/spelling.ts";
import { operationIds } from "../../platform/http/operation-ids.ts";

/** Matches below this are coincidences: letters of the word spread over the ID. */
const minScore = 0.4;
/** More would not be read; `outreachd api --list` shows all. */
const most = 3;
/** With more, a longer ID that has all of the letters is likelier: listVoices is listVoiceClones or so, not listNodes. */
const mostTypos = 2;

/** The IDs that `outreachd api` can call, of this version. */
export function callableOperations(): string[] {
  return callable().map(([, id]) => id);
}

/** The IDs of `ids` that someone may have meant by `word`, best first: the one with a typo, or at most three others. */
export function nearOperations(word: string, ids: readonly string[]): string[] {
  const likely = closest(word, ids);
  if (likely !== null && editDistance(word, likely) <= mostTypos) return [likely];
  // What is several to a person may be one word of several in the ID.
  const similar = [word, word.replace(/s$/, "")].flatMap((text) => matching(text, ids));
  if (similar.length === 0) return likely === null ? [] : [likely];
  return [...new Set(similar)].slice(0, most);
}

/** The IDs that contain the letters of `text` in its order, best first. */
function matching(text: string, ids: readonly string[]): string[] {
  return ids
    .map((id) => ({ id, score: single(text, id)?.score ?? 0 }))
    .filter(({ score }) => score >= minScore)
    .toSorted((one, other) => other.score - one.score)
    .map(({ id }) => id);
}

/** What to try instead of an unknown command whose word names something of the API; null if none does. */
export function operationHint(word: string): string | null {
  const stem = word.toLowerCase().replace(/s$/, "");
  if (stem.length < 3) return null;
  const found = callable().filter(([route, id]) => {
    const words = [...id.split(/(?=[A-Z])/), ...route.split(/[/-]/)];
    return id === word || words.some((each) => each.toLowerCase().replace(/s$/, "") === stem);
  });
  if (found.length === 0) return null;
  const shown = found.slice(0, most).map(([, id]) => id);
  const more = found.length > most ? `, and ${found.length - most} more` : "";
  return `The API has operations for it: ${shown.join(", ")}${more}.\nCall one with \`outreachd api OPERATION\`; \`outreachd api --list\` shows all.`;
}

function callable(): [route: string, id: string][] {
  return Object.entries(operationIds).filter(([route]) => route.includes(" /api/v2/"));
}
