import { open, rename, stat, unlink } from "node:fs/promises";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { reasonOf } from "./reason.ts";

/** A file that appears only once it is complete: it is written under a temporary name next to it, then renamed. */
export type OutputFile = {
  path: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Flushes the file to disk and renames it. Replaces an existing file. */
  complete(): Promise<void>;
  /** Removes the partial file. */
  discard(): Promise<void>;
};

/**
 * Throws `CommandError` if the file cannot be created; so do writes. A `secret` file is readable only by its owner; for
 * others, the umask decides.
 */
export async function openOutputFile(path: string, { secret = false } = {}): Promise<OutputFile> {
  // A rename would replace a device such as /dev/null with a regular file.
  if (await isSpecial(path))
    throw new CommandError(
      exitCodes.usage,
      `${path} is not a regular file. Remove --output and redirect standard output.`,
    );
  const temporary = `${path}.${process.pid}.part`;
  // Not Bun.file().writer(): it reports success on a full disk.
  const handle = await named(path, () => open(temporary, "w", secret ? 0o600 : 0o666));
  return {
    path,
    write: (chunk) =>
      named(path, async () => {
        for (let written = 0; written < chunk.byteLength;)
          written += (await handle.write(chunk, written, chunk.byteLength - written)).bytesWritten;
      }),
    complete: () =>
      named(path, async () => {
        await handle.sync();
        await handle.close();
        await rename(temporary, path);
      }),
    // Runs after a failure, whose error must not be hidden by another one.
    async discard() {
      await handle.close().catch(() => {});
      await unlink(temporary).catch(() => {});
    },
  };
}

async function isSpecial(path: string): Promise<boolean> {
  const entry = await stat(path).catch(() => null);
  return entry !== null && !entry.isFile();
}

async function named<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw new CommandError(exitCodes.failed, `Could not write ${path}: ${reasonOf(cause)}`, { cause });
  }
}
