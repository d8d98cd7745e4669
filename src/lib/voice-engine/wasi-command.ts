import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

/** The result of a command: its output file, its messages, and its exit code. */
export type CommandOutput = { file: Uint8Array; stderr: string; exitCode: number };

type CommandInstance = { exports: { memory: WebAssembly.Memory; _start: () => void } };

/**
 * Runs a WASI command once, in memory. It gets its arguments and an empty file `outputName`, and has no access to the
 * clock, the environment, or the disk. Its memory is released afterwards.
 */
export function runCommand(module: WebAssembly.Module, args: readonly string[], outputName: string): CommandOutput {
  const output = new File([]);
  const messages: Uint8Array[] = [];
  const stdin = new OpenFile(new File([]));
  const stdout = new ConsoleStdout(() => {});
  const stderr = new ConsoleStdout((bytes) => messages.push(bytes));
  const directory = new PreopenDirectory(".", new Map([[outputName, output]]));
  // Otherwise, the library logs what the command does.
  const host = new WASI([...args], [], [stdin, stdout, stderr, directory], { debug: false });
  const imports = { ...host.wasiImport, clock_time_get: stoppedClock } as WebAssembly.ModuleImports;
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports }) as unknown as CommandInstance;
  const exitCode = host.start(instance);
  return { file: output.data, stderr: Buffer.concat(messages).toString(), exitCode };

  /** The output must not depend on the time. */
  function stoppedClock(_clock: number, _precision: bigint, out: number): number {
    new DataView(instance.exports.memory.buffer).setBigUint64(out, 0n, true);
    return 0;
  }
}
