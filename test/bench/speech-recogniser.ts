import { join } from "node:path";
import { $ } from "bun";
import { writeWav } from "./speech-corpus.ts";
import { withDirectory } from "./server.ts";

export type Spoken = { text: string; signal: Float32Array };

/** An open recogniser of any English words (Debian: pocketsphinx, pocketsphinx-en-us). */
const recogniser = "pocketsphinx_batch";

export function hasRecogniser(): boolean {
  return Bun.which(recogniser) !== null;
}

/**
 * The share of words misheard (word error rate) by pocketsphinx with its American English model and dictionary. Whole
 * recordings are given to it, as its model is made for (`-cmn batch`): fed bit by bit, it begins each without knowing how
 * loud and how coloured it is, and mishears half as many words again, of any voice.
 */
export async function misheard(spoken: readonly Spoken[]): Promise<number> {
  return await withDirectory(async (directory) => {
    const names = spoken.map((_, i) => `spoken-${i}`);
    for (const [i, { signal }] of spoken.entries())
      await Bun.write(join(directory, `${names[i]}.wav`), writeWav(signal));
    const [list, answers] = [join(directory, "names"), join(directory, "answers")];
    await Bun.write(list, `${names.join("\n")}\n`);
    await $`${recogniser} -adcin yes -adchdr 44 -cepdir ${directory} -cepext .wav -ctl ${list} -hyp ${answers} -logfn /dev/null`.quiet();
    const heard = answersByName(await Bun.file(answers).text());
    let [errors, words] = [0, 0];
    for (const [i, { text }] of spoken.entries()) {
      const wanted = wordsOf(text);
      errors += editDistance(wanted, wordsOf(heard.get(names[i]!) ?? ""));
      words += wanted.length;
    }
    return errors / words;
  });
}

/** Lines of words, each with the name and the score of its recording: `good morning (spoken-1 -3350)`. */
function answersByName(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^(.*)\((\S+) -?\d+\)$/gm)].map(([, words, name]) => [name!, words!]));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z']+/g) ?? [];
}

function editDistance(a: readonly string[], b: readonly string[]): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, word] of a.entries()) {
    const row = [i + 1];
    for (const [j, other] of b.entries())
      row.push(Math.min(row[j]! + 1, previous[j + 1]! + 1, previous[j]! + (word === other ? 0 : 1)));
    previous = row;
  }
  return previous.at(-1)!;
}
