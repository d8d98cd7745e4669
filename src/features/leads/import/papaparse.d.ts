// The part of papaparse that we use. Its streaming front end is left out: it keeps an unterminated quoted cell in memory
// to the end of the file and reads it again with every block.
declare module "papaparse" {
  type ParserConfig = {
    delimiter: string;
    newline: string;
    /** Called for every record, with its problems and the position after it. */
    step: (record: { data: string[][]; errors: { code: string }[]; meta: { cursor: number } }) => void;
  };

  class Parser {
    constructor(config: ParserConfig);
    /** With `ignoreLastRow` the last record, which may continue in the next block, is omitted. */
    parse(input: string, baseIndex: number, ignoreLastRow: boolean): unknown;
    /** Called in `step`: that record was the last. */
    abort(): void;
  }

  const Papa: { Parser: typeof Parser };
  export default Papa;
}
