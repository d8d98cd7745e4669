import { access, constants, copyFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AudioClip } from "../../../features/voice/voice-engine.ts";
import { later, operatorFault, type VendorFailure } from "./failure.ts";

/** A folder from which another server reads recordings. Methods throw `VendorFailure` if it cannot be used. */
export class SharedFolder {
  readonly #path: string;
  readonly #option: string;

  /** `option` is the option that sets the path. */
  constructor(path: string, option: string) {
    this.#path = path;
    this.#option = option;
  }

  async check(): Promise<void> {
    await this.#orFailure(() => access(this.#path, constants.R_OK | constants.W_OK | constants.X_OK));
  }

  /**
   * Stores a recording under a name that depends on its content, unless it already exists. The file is never
   * incomplete.
   */
  async put(name: string, clip: AudioClip): Promise<void> {
    const target = join(this.#path, name);
    await this.#orFailure(async () => {
      if (await exists(target)) return;
      const part = `${target}.part`;
      await copyFile(clip.path, part);
      await rename(part, target);
    });
  }

  /** Succeeds even if it does not exist. */
  async remove(name: string): Promise<void> {
    await this.#orFailure(async () => {
      await stat(this.#path); // A folder that is not mounted must not be mistaken for an empty one.
      await rm(join(this.#path, name), { force: true });
    });
  }

  /** Removes files that start with `prefix`, except `kept`. */
  async removeOthers(prefix: string, kept: string): Promise<void> {
    await this.#orFailure(async () => {
      for (const name of await readdir(this.#path))
        if (name.startsWith(prefix) && name !== kept) await rm(join(this.#path, name), { force: true });
    });
  }

  async #orFailure(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw this.#failureOf(error);
    }
  }

  #failureOf(error: unknown): VendorFailure {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (code === "ENOSPC" || code === "EDQUOT") return later(`The folder set by ${this.#option} is full.`, 300);
    return operatorFault(`The folder set by ${this.#option} cannot be used (${code}). It must exist and be writable.`);
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
