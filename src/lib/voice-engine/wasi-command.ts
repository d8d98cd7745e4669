/** The result of a command: the only file that it may open, its messages, and its exit code. */
export type CommandOutput = { file: Uint8Array; stderr: string; exitCode: number };

const errno = { success: 0, badFile: 8, noEntry: 44, notSeekable: 29 } as const;
const fileType = { characterDevice: 2, directory: 3, regular: 4 } as const;
const directoryHandle = 3;
const fileHandle = 4;
const allRights = 0xffff_ffff_ffff_ffffn;

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/**
 * Runs a WASI command once, in memory. It gets its arguments, may only write the file `outputName`, and has no access
 * to the clock, the environment, or the disk. Its memory is released afterwards.
 */
export function runCommand(module: WebAssembly.Module, args: readonly string[], outputName: string): CommandOutput {
  const host = new CommandHost(args, outputName);
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: host.imports() });
  host.memory = instance.exports["memory"] as WebAssembly.Memory;
  let exitCode = 0;
  try {
    (instance.exports["_start"] as () => void)();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    exitCode = error.code;
  }
  return { file: host.file.bytes(), stderr: host.stderr, exitCode };
}

class CommandHost {
  memory = new WebAssembly.Memory({ initial: 0 });
  readonly file = new MemoryFile();
  stderr = "";
  readonly #args: Uint8Array[];
  readonly #outputName: string;

  constructor(args: readonly string[], outputName: string) {
    this.#args = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
    this.#outputName = outputName;
  }

  imports(): Record<string, (...args: never[]) => number> {
    return {
      args_sizes_get: (count: number, size: number) => {
        this.#view().setUint32(count, this.#args.length, true);
        this.#view().setUint32(
          size,
          this.#args.reduce((sum, arg) => sum + arg.length, 0),
          true,
        );
        return errno.success;
      },
      args_get: (pointers: number, buffer: number) => {
        let at = buffer;
        this.#args.forEach((arg, i) => {
          this.#view().setUint32(pointers + 4 * i, at, true);
          this.#bytes().set(arg, at);
          at += arg.length;
        });
        return errno.success;
      },
      clock_time_get: (_clock: number, _precision: bigint, out: number) => {
        this.#view().setBigUint64(out, 0n, true); // the same time always: output must not depend on it
        return errno.success;
      },
      fd_close: () => errno.success,
      fd_fdstat_get: (handle: number, out: number) => this.#describe(handle, out),
      fd_fdstat_set_flags: () => errno.success,
      fd_prestat_get: (handle: number, out: number) => {
        if (handle !== directoryHandle) return errno.badFile;
        this.#view().setUint32(out, 0, true); // a directory …
        this.#view().setUint32(out + 4, 1, true); // … with a name of one character
        return errno.success;
      },
      fd_prestat_dir_name: (_handle: number, out: number) => {
        this.#bytes()[out] = ".".charCodeAt(0);
        return errno.success;
      },
      fd_read: (_handle: number, _vectors: number, _count: number, read: number) => {
        this.#view().setUint32(read, 0, true);
        return errno.success;
      },
      fd_seek: (handle: number, offset: bigint, whence: number, out: number) => {
        if (handle !== fileHandle) return errno.notSeekable;
        this.#view().setBigUint64(out, BigInt(this.file.seek(Number(offset), whence)), true);
        return errno.success;
      },
      fd_write: (handle: number, vectors: number, count: number, written: number) =>
        this.#write(handle, vectors, count, written),
      path_open: (...args: number[]) => this.#open(args[2]!, args[3]!, args[8]!),
      proc_exit: (code: number) => {
        throw new Exit(code);
      },
    };
  }

  #describe(handle: number, out: number): number {
    const type =
      handle < directoryHandle
        ? fileType.characterDevice
        : handle === directoryHandle
          ? fileType.directory
          : fileType.regular;
    const view = this.#view();
    view.setUint8(out, type);
    view.setUint16(out + 2, 0, true);
    view.setBigUint64(out + 8, allRights, true);
    view.setBigUint64(out + 16, allRights, true);
    return errno.success;
  }

  #open(path: number, length: number, out: number): number {
    // A copy: the decoder takes no view of memory that may grow.
    const name = new TextDecoder().decode(this.#bytes().slice(path, path + length));
    if (name !== this.#outputName) return errno.noEntry;
    this.file.seek(0, 0);
    this.#view().setUint32(out, fileHandle, true);
    return errno.success;
  }

  #write(handle: number, vectors: number, count: number, written: number): number {
    const view = this.#view();
    let total = 0;
    for (let i = 0; i < count; i++) {
      const start = view.getUint32(vectors + 8 * i, true);
      const length = view.getUint32(vectors + 8 * i + 4, true);
      const chunk = this.#bytes().slice(start, start + length);
      if (handle === fileHandle) this.file.write(chunk);
      else if (handle === 2) this.stderr += new TextDecoder().decode(chunk);
      total += length;
    }
    view.setUint32(written, total, true);
    return errno.success;
  }

  // Created each time, because memory moves when it grows.
  #view(): DataView {
    return new DataView(this.memory.buffer);
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }
}

class MemoryFile {
  #content = new Uint8Array(1 << 20);
  #length = 0;
  #position = 0;

  /** `whence`: 0 from the start, 1 from here, 2 from the end. */
  seek(offset: number, whence: number): number {
    this.#position = offset + (whence === 0 ? 0 : whence === 1 ? this.#position : this.#length);
    return this.#position;
  }

  write(chunk: Uint8Array): void {
    const end = this.#position + chunk.length;
    if (end > this.#content.length) {
      const grown = new Uint8Array(Math.max(end, this.#content.length * 2));
      grown.set(this.#content.subarray(0, this.#length));
      this.#content = grown;
    }
    this.#content.set(chunk, this.#position);
    this.#position = end;
    this.#length = Math.max(this.#length, end);
  }

  bytes(): Uint8Array {
    return this.#content.subarray(0, this.#length);
  }
}
