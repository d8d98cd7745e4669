import type { CommandContext } from "./context.ts";

/** How far something is. */
export type ProgressState = {
  /** From 0 to 100; null while nobody can know the whole. */
  percent: number | null;
  /** For a person. */
  text: string;
  /** For a script: what goes into the JSON line. */
  document: Readonly<Record<string, unknown>>;
};

/** Takes every change; decides itself which of them are worth showing. */
export type Progress = {
  show(state: ProgressState): Promise<void>;
  /** Removes what is drawn, so that the answer begins on a clean line. */
  clear(): void;
};

const redrawMs = 100; // Faster than that the eye sees no more, and terminals over a slow line fall behind.
const jsonLineMs = 500;
const plainLineMs = 10_000; // A log of a long import stays short.
const barCells = 24;

/** A bar on a terminal, a line now and then elsewhere, with --json a line of JSON on standard output. */
export function createProgress(context: CommandContext, now: () => number = Date.now): Progress {
  const { terminal } = context;
  if (context.json) {
    const due = every(jsonLineMs, now, true);
    const line = (document: object) => `${JSON.stringify({ event: "progress", ...document })}\n`;
    return {
      show: async ({ document }) => {
        if (due()) await terminal.out(line(document));
      },
      clear: () => {},
    };
  }
  if (terminal.isInteractive) {
    const due = every(redrawMs, now, true);
    return {
      show: async ({ percent, text }) => {
        if (due()) terminal.err(`\r\x1b[2K${renderBar(percent, text, terminal.columns)}`);
      },
      clear: () => terminal.err("\r\x1b[2K"),
    };
  }
  const due = every(plainLineMs, now, false);
  return {
    show: async ({ percent, text }) => {
      if (due()) terminal.err(`${percent === null ? "" : `${Math.floor(percent)}% `}${text}\n`);
    },
    clear: () => {},
  };
}

/** One line that is shorter than the screen is wide; a longer one would wrap and could not be drawn over. */
export function renderBar(percent: number | null, text: string, columns: number): string {
  const filled = Math.floor(((percent ?? 0) / 100) * barCells);
  const bar =
    percent === null
      ? ""
      : `${"█".repeat(filled)}${"░".repeat(barCells - filled)} ${String(Math.floor(percent)).padStart(3)}%  `;
  const line = bar + text;
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}

/** 1234567 -> "1.2 MB" */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** 1234567 -> "1,234,567" */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 file", "2 files". */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function every(intervalMs: number, now: () => number, atOnce: boolean): () => boolean {
  let next = atOnce ? 0 : now() + intervalMs;
  return () => {
    if (now() < next) return false;
    next = now() + intervalMs;
    return true;
  };
}
