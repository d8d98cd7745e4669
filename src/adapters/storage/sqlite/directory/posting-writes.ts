import type { Container } from "../../../../lib/search-index/container.ts";
import type { IndexWrite, TermRow } from "./index-messages.ts";
import { packedContainers } from "../../../../lib/search-index/packed-containers.ts";
import { segments, type Postings } from "./postings.ts";

/** Containers and terms in one write: a few milliseconds of the event loop. */
const writeBytes = 256 * 1024;
const writeTerms = 400;

/** Terms with all their changed containers in one piece each, so that a count on disk is that of what lies beside it. */
export function* postingWrites(terms: ReturnType<Postings["beginFlush"]>): Generator<IndexWrite, void, void> {
  let rows: TermRow[] = [];
  let placed: [place: number, Container][] = [];
  let bytes = 0;
  // In the order of their ids, so that neighbours on disk are written together.
  for (const { row, containers } of terms.toSorted((a, b) => a.row.id - b.row.id)) {
    rows.push(row);
    for (const [segment, container] of containers) {
      placed.push([row.id * segments + segment, container]);
      bytes += container.byteLength;
    }
    if (rows.length < writeTerms && bytes < writeBytes) continue;
    yield { kind: "postings", terms: rows, postings: packedContainers(placed) };
    [rows, placed, bytes] = [[], [], 0];
  }
  if (rows.length > 0) yield { kind: "postings", terms: rows, postings: packedContainers(placed) };
}
