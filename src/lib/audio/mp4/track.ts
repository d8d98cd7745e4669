import type { ByteSource } from "../byte-source.ts";
import { AudioError } from "../pcm.ts";
import { type Box, boxesIn, findBox, fourCharacters, readContent } from "./boxes.ts";
import { type SampleEntry, readSampleEntry } from "./sample-entry.ts";

/** The audio track of an MP4 file. */
export type AudioTrack = {
  id: number;
  entry: SampleEntry;
  /** The box of the sample tables. */
  tables: Box;
  moov: Box;
  /** null: not said, as in files that were recorded in fragments. */
  claimedSeconds: number | null;
  /** The part of the decoded audio to play; null = all, or up to the end. */
  editStartSeconds: number;
  editSeconds: number | null;
};

/** Films have some tens of tracks: languages, subtitles, chapters. */
const maxTracks = 100;

/** Finds the first audio track. Throws `AudioError` where there is none, or no index at all. */
export function readAudioTrack(source: ByteSource): AudioTrack {
  const whole = { start: 0, end: source.size };
  const moov = findBox(source, whole, "moov");
  if (moov === null) throw withoutIndex(source, whole);
  const movieTimescale = timing(source, findBox(source, moov, "mvhd")).timescale;
  let hasVideo = false;
  let tracks = 0;
  for (const trak of boxesIn(source, moov)) {
    if (trak.type !== "trak") continue;
    if (++tracks > maxTracks) break;
    const handler = findBox(source, trak, "mdia", "hdlr");
    const kind = handler === null ? "" : fourCharacters(new Uint8Array(readContent(source, handler, 12).buffer), 8);
    hasVideo ||= kind === "vide";
    if (kind === "soun") return readTrack(source, moov, trak, movieTimescale);
  }
  throw new AudioError(
    "unsupported",
    hasVideo ? "The MP4 file has no audio track." : "The M4A file has no audio track.",
  );
}

function withoutIndex(source: ByteSource, whole: Pick<Box, "start" | "end">): AudioError {
  const hasData = findBox(source, whole, "mdat") !== null;
  return new AudioError(
    hasData ? "truncated" : "corrupt",
    "M4A file has no index (moov): the recording was cut off or did not finish saving.",
  );
}

function readTrack(source: ByteSource, moov: Box, trak: Box, movieTimescale: number): AudioTrack {
  const tables = findBox(source, trak, "mdia", "minf", "stbl");
  const description = tables === null ? null : findBox(source, tables, "stsd");
  if (tables === null || description === null) throw new AudioError("corrupt", "M4A audio track is damaged.");
  const { timescale, duration } = timing(source, findBox(source, trak, "mdia", "mdhd"));
  const header = findBox(source, trak, "tkhd");
  const headerView = header === null ? null : readContent(source, header, 24);
  const claimedSeconds = timescale > 0 && duration > 0 ? duration / timescale : null;
  const edit = readEdit(source, findBox(source, trak, "edts", "elst"));
  const editStartSeconds = edit === null || timescale === 0 ? 0 : edit.mediaTime / timescale;
  return {
    id: headerView === null ? 1 : headerView.getUint32(headerView.getUint8(0) === 1 ? 20 : 12),
    entry: readSampleEntry(source, description),
    tables,
    moov,
    claimedSeconds,
    // An edit that begins after the end would leave nothing.
    editStartSeconds: claimedSeconds !== null && editStartSeconds >= claimedSeconds ? 0 : editStartSeconds,
    editSeconds: edit === null || movieTimescale === 0 || edit.duration === 0 ? null : edit.duration / movieTimescale,
  };
}

/** Time units in a second, and how many of them the movie or the track lasts; `mvhd` and `mdhd` begin alike. */
function timing(source: ByteSource, box: Box | null): { timescale: number; duration: number } {
  if (box === null) return { timescale: 0, duration: 0 };
  const view = readContent(source, box, 32);
  if (view.getUint8(0) !== 1) return { timescale: view.getUint32(12), duration: view.getUint32(16) };
  return { timescale: view.getUint32(20), duration: Number(view.getBigUint64(24)) };
}

/** Returns the segment of the media to play; null if there is none or several, in which case all of it is played. */
function readEdit(source: ByteSource, box: Box | null): { mediaTime: number; duration: number } | null {
  if (box === null) return null;
  const head = readContent(source, box, 8);
  const isLong = head.getUint8(0) === 1;
  const length = isLong ? 20 : 12;
  // An empty edit (-1) may come first: silence before the track begins.
  const count = Math.min(head.getUint32(4), 3);
  const view = readContent(source, box, 8 + count * length);
  const edits = Array.from({ length: count }, (_, i) => {
    const at = 8 + i * length;
    return isLong
      ? { duration: Number(view.getBigUint64(at)), mediaTime: Number(view.getBigInt64(at + 8)) }
      : { duration: view.getUint32(at), mediaTime: view.getInt32(at + 4) };
  }).filter(({ mediaTime }) => mediaTime >= 0);
  return edits.length === 1 ? edits[0]! : null;
}
