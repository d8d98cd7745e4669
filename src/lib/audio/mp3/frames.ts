import type { ByteSource } from "../byte-source.ts";
import { ByteWindow } from "../byte-window.ts";
import { isFrameAt, isSameStream, type Mp3FrameHeader, parseFrameHeader } from "./frame-header.ts";

export type Mp3Frame = {
  header: Mp3FrameHeader;
  /** The whole frame. */
  bytes: Uint8Array;
  /** False after a gap: bytes that belong to no frame lie before it. */
  follows: boolean;
};

/** Finds the frames of an MP3 file in order, past tags and damage; all of one stream: the first that is found. */
export function* mp3Frames(source: ByteSource): Generator<Mp3Frame> {
  const window = new ByteWindow(source);
  let stream: Mp3FrameHeader | null = null;
  let follows = false;
  while (window.remaining >= 4) {
    const header = parseFrameHeader(window.peek(4), 0);
    const isTrusted: boolean = header !== null && follows && stream !== null && isSameStream(stream, header);
    if (header !== null && (isTrusted || isStart(window, header, stream))) {
      stream ??= header;
      // A cut off last frame has nothing to give.
      if (header.length > window.remaining) return;
      yield { header, bytes: window.peek(header.length), follows };
      window.skip(header.length);
      follows = true;
    } else {
      follows = false;
      skipToSync(window);
    }
  }
}

function isStart(window: ByteWindow, header: Mp3FrameHeader, stream: Mp3FrameHeader | null): boolean {
  if (stream !== null && !isSameStream(stream, header)) return false;
  return isFrameAt(window.peek(header.length + 4), 0, window.remaining);
}

function skipToSync(window: ByteWindow): void {
  const bytes = window.peek(4096);
  const next = bytes.indexOf(0xff, 1);
  window.skip(next < 0 ? bytes.length : next);
}
