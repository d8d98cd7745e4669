import { randomUUID } from "node:crypto";
import { createBlobs } from "../../../adapters/blobs/blobs.ts";
import { diskFaultOf } from "../../../platform/base/disk-fault.ts";
import type { BlobStore } from "../../../platform/blobs/blob-store.ts";
import type { S3Place } from "../../../platform/blobs/place.ts";
import { reasonOf } from "../reason.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

const content = "outreachd doctor";

/** Lists the bucket, as each start of a server does, and stores a small object, reads it, and deletes it. */
export async function examineBucket(place: S3Place | null): Promise<Finding[]> {
  if (place === null) {
    const hint =
      "Several nodes need a bucket: set --files s3://BUCKET/PREFIX. One node alone can keep them on its disk.";
    return [warning("files", "Files are stored on the disk of this machine, so only one node can use them.", hint)];
  }
  const shown = `s3://${place.bucket}/${place.prefix}`;
  try {
    await probe(createBlobs(place, null));
    return [ok("files", `Files can be stored in ${shown}, read, listed, and deleted.`)];
  } catch (error) {
    const { words, hint } = diskFaultOf(error) ?? { words: reasonOf(error), hint: "Check the options files and s3-…." };
    return [problem("files", `Files in ${shown} cannot be used: ${words}.`.replace("..", "."), hint)];
  }
}

async function probe(blobs: BlobStore): Promise<void> {
  const name = `doctor/${randomUUID()}`;
  const body = new Blob([content]);
  await blobs.check();
  await blobs.receive(name, body.stream(), body.size);
  try {
    const found = await blobs.find(name);
    const text = found === null ? null : await new Response(found.body(0, found.bytes)).text();
    if (text !== content) throw new Error("what was stored is not what was read.");
  } finally {
    await blobs.remove(name);
  }
}
