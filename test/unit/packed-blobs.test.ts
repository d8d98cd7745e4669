import { expect, test } from "bun:test";
import { containerOf, type Container } from "../../src/lib/search-index/container.ts";
import { arraysOfBlobs, eachBlob, type PackedBlobs } from "../../src/lib/concurrency/packed-blobs.ts";
import { packedContainers } from "../../src/lib/search-index/packed-containers.ts";

function unpacked(blobs: PackedBlobs): [place: number, Container][] {
  const all: [number, Container][] = [];
  eachBlob(blobs, (place, blob) => all.push([place, containerOf(blob)]));
  return all;
}

test("containers of both forms and any length come out of a pack as they went in, each at its place", () => {
  const bits = new Int32Array(2048).map((_, word) => Math.imul(word, 0x9e3779b1));
  const containers: [number, Container][] = [
    [7, Uint16Array.of(1)],
    [2 ** 40 + 3, bits],
    [8, Uint16Array.of(0, 9, 65_535)],
    [9, new Uint16Array(0)],
    [10, Uint16Array.from({ length: 4095 }, (_, at) => at * 16)],
    [11, bits.map((word) => ~word)],
    // A part of a longer list, as a container that grew may be.
    [12, Uint16Array.of(4, 5, 6, 7).subarray(1, 3)],
  ];
  expect(unpacked(packedContainers(containers))).toEqual(containers);
  expect(unpacked(packedContainers([]))).toEqual([]);
});

test("a pack can be moved to another thread whole, and leaves its containers where they are", () => {
  const list = Uint16Array.of(3, 4);
  const blobs = packedContainers([[1, list]]);
  const moved = structuredClone(blobs, { transfer: arraysOfBlobs(blobs).map(({ buffer }) => buffer) });
  expect(unpacked(moved)).toEqual([[1, Uint16Array.of(3, 4)]]);
  expect([blobs.bytes.length, list]).toEqual([0, Uint16Array.of(3, 4)]);
});
