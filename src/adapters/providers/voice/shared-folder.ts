import { access, constants, copyFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AudioClip } from "../../../features/voice/voice-engine.ts";
import { later, operatorFault, type VendorFailure } from "./failure.ts";

/** A folder that a server beside us takes recordings from. Its methods throw `VendorFailure` where it can't be used. */
export class SharedFolder {
  readonly #path: string;
  readonly #option: string;

  /** `option` is what the operator sets the path with. */
  constructor(path: string, option: string) {
    this.#path = path;
    this.#option = option;
  }

  async check(): Promise<void> {
    await this.#orFailure(() => access(this.#path, constants.R_OK | constants.W_OK | constants.X_OK));
  }

  /** Puts a recording there under a name by its content, unless it is there already. It is never there in part. */
  async put(name: string, clip: AudioClip): Promise<void> {
    const target = join(this.#path, name);
    await this.#orFailure(async () => {
      if (await exists(target)) return;
      const part = `${target}.part`;
      await copyFile(clip.path, part);
      await rename(part, target);
    });
  }

  /** Also when it is gone already. */
  async remove(name: string): Promise<void> {
    await this.#orFailure(async () => {
      await stat(this.#path); // A folder that isn't mounted must not pass for one that is empty.
      await rm(join(this.#path, name), { force: true });
    });
  }

  /** Removes what begins with `prefix`, except `kept`. */
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
    if (code === "ENOSPC" || code === "EDQUOT") return later(`The folder of ${this.#option} is full.`, 300);
    return operatorFault(
      `The folder of ${this.#option} can't be used (${code}): it must be there, and we must be able to write.`,
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
