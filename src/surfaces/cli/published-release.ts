import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SignatureError, verify } from "../../lib/minisign/minisign.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { reasonOf } from "./reason.ts";

/** From the manifest of a release. */
export type Release = { version: string; commit: string; date: string; isVerified: boolean };

const timeoutMs = 30_000;
const manifestName = "manifest.json";

/**
 * Reads the manifest of a release, from a URL or a directory. With a public key, its signature must be valid. Throws
 * `CommandError`.
 */
export async function readRelease(from: string, publicKey: string | null): Promise<Release> {
  const bytes = await read(from, manifestName);
  if (publicKey !== null) verifySignature(bytes, await read(from, `${manifestName}.minisig`), publicKey);
  const manifest = parse(bytes);
  if (manifest === null)
    throw new CommandError(
      exitCodes.failed,
      `${manifestName} at ${from} is not the manifest of a release of outreachd.`,
    );
  return { ...manifest, isVerified: publicKey !== null };
}

/** Positive if version `a` is newer than `b`, negative if it is older, 0 if they are the same. */
export function newerOf(a: string, b: string): number {
  return Bun.semver.order(a, b);
}

function verifySignature(bytes: Uint8Array, signature: Uint8Array, publicKey: string): void {
  try {
    verify(bytes, new TextDecoder().decode(signature), publicKey);
  } catch (cause) {
    if (!(cause instanceof SignatureError)) throw cause;
    throw new CommandError(exitCodes.failed, `${manifestName} is not signed with this key: ${cause.message}`, {
      cause,
    });
  }
}

async function read(from: string, name: string): Promise<Uint8Array> {
  const place = `${from.replace(/\/$/, "")}/${name}`;
  try {
    if (!/^https?:/.test(from)) return readFileSync(join(from, name));
    const response = await fetch(place, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
    return await response.bytes();
  } catch (cause) {
    throw new CommandError(exitCodes.unreachable, `Could not read ${place}: ${reasonOf(cause)}`, { cause });
  }
}

function parse(bytes: Uint8Array): Omit<Release, "isVerified"> | null {
  try {
    const { name, version, commit, date } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const isRelease = name === "outreachd" && [version, commit, date].every((field) => typeof field === "string");
    return isRelease ? { version: String(version), commit: String(commit), date: String(date) } : null;
  } catch {
    return null;
  }
}
