import type { Clock } from "../../platform/base/clock.ts";
import type { Log } from "../../platform/base/log.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import { BlobTooLarge, type BlobStore } from "../../platform/blobs/blob-store.ts";
import type { BlobContent } from "../../platform/blobs/model.ts";

const folder = "failed-rows";

/** Room for about 100,000 rows. A file in which more failed was read with wrong columns, and is sent again as a whole. */
export const maxFailedRowsBytes = 20 * 2 ** 20;
/** As long as the file of a failed import; the rows are of people who may never become leads. */
export const failedRowsDays = 7;

/** Why failed rows are not kept: they take too much room, or the disk or the bucket failed. */
export type NotKept = "tooLarge" | "notStored";

export const notKeptText: Record<NotKept, string> = {
  tooLarge: `The failed rows are not kept, because they take more than ${maxFailedRowsBytes / 2 ** 20} MB`,
  notStored: "The failed rows are not kept, because they could not be stored on the server",
};

type Import = { workspaceId: WorkspaceId; id: string };

/**
 * The failed rows of imports as files, so that they can be fixed without the original file. They are deleted after
 * `failedRowsDays`, and with every erasure in their workspace: nothing says which people they contain.
 */
export class KeptFailedRows {
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(blobs: BlobStore, clock: Clock, log: Log) {
    this.#blobs = blobs;
    this.#clock = clock;
    this.#log = log;
  }

  /** Returns why the rows could not be kept, or null. Never rejects: the import has succeeded all the same. */
  async keep(job: Import, rows: AsyncIterable<Uint8Array>): Promise<NotKept | null> {
    try {
      await this.#blobs.receive(nameOf(job), rows, maxFailedRowsBytes);
      return null;
    } catch (error) {
      if (error instanceof BlobTooLarge) return "tooLarge";
      this.#log.error({ err: error, jobId: job.id }, "could not keep the failed rows of an import");
      return "notStored";
    }
  }

  /** Deletes those of an import. Does nothing if there are none. */
  remove(job: Import): Promise<void> {
    return this.#blobs.remove(nameOf(job));
  }

  /** Null if they are not kept, or not any more. */
  find(job: Import): Promise<BlobContent | null> {
    return this.#blobs.find(nameOf(job));
  }

  /** Deletes those of a workspace, or of all if null. */
  async forget(workspaceId: WorkspaceId | null): Promise<void> {
    const ofAll = `${folder}/`;
    for (const { name } of await this.#blobs.list(workspaceId === null ? ofAll : `${ofAll}${workspaceId}.`))
      await this.#blobs.remove(name);
  }

  /** Deletes those that are old, or whose job is gone, as with its workspace. Returns their number. */
  async sweep(hasJob: (workspaceId: WorkspaceId, jobId: string) => Promise<boolean>): Promise<number> {
    const oldest = this.#clock.now() - failedRowsDays * 86_400_000;
    let removed = 0;
    for (const { name, changedAt } of await this.#blobs.list(`${folder}/`)) {
      const [workspaceId = "", jobId = ""] = name.slice(folder.length + 1).split(".");
      if (changedAt >= oldest && (await hasJob(workspaceId, jobId))) continue;
      await this.#blobs.remove(name);
      removed++;
    }
    return removed;
  }
}

/** A folder has no folders. IDs have no dots. */
function nameOf({ workspaceId, id }: Import): string {
  return `${folder}/${workspaceId}.${id}`;
}
