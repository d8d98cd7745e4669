import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A directory with Debian's musl and the executable for it, which root can change into. */

const root = join(import.meta.dir, "../..");
const linker = "/lib/ld-musl-x86_64.so.1";

/** Why the executable for musl cannot run on this machine; null if it can. */
export async function reasonAgainstMusl(): Promise<string | null> {
  if (process.platform !== "linux" || process.arch !== "x64") return "only Linux on x64 can run it";
  if (process.getuid?.() !== 0) return "only root can change into its directory";
  if (!(await Bun.file(linker).exists())) return "Debian's package musl is not installed";
  if (Bun.which("gcc") === null || Bun.which("readelf") === null) return "gcc is not installed";
  if (!Bun.spawnSync(["unshare", "--mount", "true"]).success) return "mounts are not allowed";
  return null;
}

export function buildForMusl(folder: string): void {
  // In a process of its own, because a build replaces modules of this one.
  const script = `import { compile } from ${JSON.stringify(join(root, ".ci/compile.ts"))};
    await compile(${JSON.stringify(join(folder, "outreachd"))}, null, "linux-x64-musl"); process.exit(0);`;
  mustRun([process.execPath, "-e", script], root);
  for (const name of ["lib", "proc", "dev", "tmp"]) mkdirSync(join(folder, name));
  cpSync(linker, join(folder, linker), { dereference: true });
  symlinkSync("ld-musl-x86_64.so.1", join(folder, "lib/libc.musl-x86_64.so.1"));
}

/** Functions of glibc that Debian's libstdc++ calls and musl does not have. */
const missingInMusl = `
#include <stddef.h>
int getentropy(void *, size_t);
char __libc_single_threaded = 0;
int _dl_find_object(void *address, void *result) { return -1; }
unsigned arc4random(void) { unsigned value; getentropy(&value, sizeof value); return value; }
`;

/**
 * Adds libstdc++.so.6. Debian has none for musl, so the parts that the executable uses are linked from Debian's static
 * library, against the C library of musl.
 */
export function addCxxLibrary(folder: string): void {
  const symbols = mustRun(["readelf", "--dyn-syms", "--wide", join(folder, "outreachd")]);
  // Those without a section come from a library; those of a table of functions are copied from one at the start.
  const used = [...symbols.matchAll(/ (UND|\d+) (_Z\w+|__cxa_\w+|__dynamic_cast)\b/g)].flatMap(
    ([, section, name = ""]) => (section === "UND" || name.startsWith("_ZTVN10__cxxabiv1") ? [name] : []),
  );
  // Destructors of threads: weak, and musl has none either.
  const names = [...new Set(used)].filter((name) => name !== "__cxa_thread_atexit_impl" && name !== "__cxa_finalize");
  const source = join(folder, "tmp/missing.c");
  writeFileSync(source, missingInMusl);
  const fileOf = (name: string) => mustRun(["gcc", `-print-file-name=${name}`]);
  mkdirSync(join(folder, "usr/lib"), { recursive: true });
  mustRun([
    ...["gcc", "-shared", "-nostdlib", "-fPIC", "-Wl,-soname,libstdc++.so.6"],
    ...["-o", join(folder, "usr/lib/libstdc++.so.6"), ...names.map((name) => `-Wl,-u,${name}`)],
    ...[fileOf("crtbeginS.o"), source],
    ...["libstdc++.a", "libgcc_eh.a", "libgcc.a", "crtendS.o"].map(fileOf),
  ]);
}

// The mounts end with the process.
const enter = `mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" /outreachd "$@"`;

/** The command that runs the executable in the directory. */
export function commandIn(folder: string): readonly string[] {
  return [Bun.which("unshare")!, "--mount", "sh", "-c", enter, folder];
}

function mustRun(command: readonly string[], cwd?: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    ...(cwd !== undefined && { cwd }),
    stderr: "pipe",
  });
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}: ${stderr.toString()}`);
  return stdout.toString().trim();
}
