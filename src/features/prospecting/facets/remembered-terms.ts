/** What was derived from raw values, by facet: to put the two into one text costs more than all the rest. */
export class RememberedTerms<T> {
  readonly #byFacet = new Map<string, Map<string, T>>();
  size = 0;

  get(facet: string, raw: string): T | undefined {
    return this.#byFacet.get(facet)?.get(raw);
  }

  set(facet: string, raw: string, terms: T): void {
    const known = this.#byFacet.get(facet);
    if (known === undefined) this.#byFacet.set(facet, new Map([[raw, terms]]));
    else known.set(raw, terms);
    this.size++;
  }
}
