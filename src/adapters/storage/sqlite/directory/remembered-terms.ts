import type { TermPostings } from "./postings.ts";

/** The terms of raw values, by facet: to put the two into one text costs more than all the rest. */
export class RememberedTerms {
  readonly #byFacet = new Map<string, Map<string, TermPostings[]>>();
  size = 0;

  get(facet: string, raw: string): TermPostings[] | undefined {
    return this.#byFacet.get(facet)?.get(raw);
  }

  set(facet: string, raw: string, terms: TermPostings[]): void {
    const known = this.#byFacet.get(facet);
    if (known === undefined) this.#byFacet.set(facet, new Map([[raw, terms]]));
    else known.set(raw, terms);
    this.size++;
  }
}
