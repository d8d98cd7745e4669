import { open, rename, stat, unlink } from "node:fs/promises";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { reasonOf } from "./reason.ts";

/** A file that others see only once it is complete: written under another name beside it, then renamed. */
export type OutputFile = {
  path: string;
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the file durable and gives it its name. A file of that name is replaced. */
  complete(): Promise<void>;
  /** Removes what was written so far. */
  discard(): Promise<void>;
};

/**
 * Throws `CommandError` when the file can't be made; the same error comes from writing it. A `secret` one can be read
 * by nobody else, else as the umask says.
 */
export async function openOutputFile(path: string, { secret = false } = {}): Promise<OutputFile> {
  // A rename would put a plain file in the place of a device such as /dev/null.
  if (await isSpecial(path))
    throw new CommandError(
      exitCodes.usage,
      `${path} is no plain file. Leave out --output and redirect standard output.`,
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
    // Comes after a failure, whose error must not be hidden by another one.
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
