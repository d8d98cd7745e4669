import { single } from "fuzzysort";
import type { Command } from "./commands.ts";

/** Matches below this are coincidences: letters of the text spread over the label. */
const minScore = 0.25;
/** Words beside the label count less, so that a label that matches comes first. */
const wordWeight = 0.6;

/** The commands that match, best first. An empty text matches all, in their order. */
export function ranked(commands: readonly Command[], text: string): Command[] {
  const wanted = text.trim();
  if (wanted === "") return [...commands];
  return commands
    .map((command) => ({ command, score: scoreOf(command, wanted) }))
    .filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score)
    .map(({ command }) => command);
}

function scoreOf({ label, words = "", detail = "" }: Command, wanted: string): number {
  const ofLabel = single(wanted, label)?.score ?? 0;
  const others = [words, detail].filter(Boolean).map((text) => single(wanted, text)?.score ?? 0);
  return Math.max(ofLabel, ...others.map((score) => score * wordWeight));
}
