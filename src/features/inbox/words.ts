/** More words would not narrow a search down. */
const maxWords = 8;
const maxWordLength = 64;

/** The words of a search: runs of letters and digits. Each matches the words that begin with it, with or without accents. */
export function searchWords(text: string): string[] {
  const words =
    text
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words)].slice(0, maxWords).map((word) => Array.from(word).slice(0, maxWordLength).join(""));
}

/** A word without accents, as PostgreSQL indexes it; SQLite folds words itself. */
export function foldedWord(word: string): string {
  return word.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
}

/** A search considers this many of the latest matching messages: reading more would take longer than a person waits. */
export const searchedMessages = 1_000;

/**
 * If so many messages contain exactly these words, they are what was meant. Only otherwise, words that merely begin with
 * them are searched for too, which takes an index much longer if there are many.
 */
export const enoughExact = 500;
