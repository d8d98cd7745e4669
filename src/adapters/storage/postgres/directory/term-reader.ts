import { eachRaw, termsOfRaw, type Term } from "../../../../features/prospecting/facets/terms.ts";
import { RememberedTerms } from "../../../../features/prospecting/facets/remembered-terms.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";

/** Raw values whose terms are remembered: most values of a file recur. */
const maxRemembered = 20_000;

/** Derives the terms of prospects. */
export class TermReader {
  /** Of all directories: terms depend on nothing but the content. */
  static readonly shared = new TermReader();

  #remembered = new RememberedTerms<readonly Term[]>();

  termsOf(content: ProspectContent): Term[] {
    const terms: Term[] = [];
    eachRaw(content, (facet, raw) => {
      let known = this.#remembered.get(facet, raw);
      if (known === undefined) {
        if (this.#remembered.size >= maxRemembered) this.#remembered = new RememberedTerms();
        known = termsOfRaw(facet, raw);
        this.#remembered.set(facet, raw, known);
      }
      terms.push(...known);
    });
    return terms;
  }
}
