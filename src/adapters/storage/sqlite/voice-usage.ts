import { and, count, eq, isNotNull, ne, or, sql, sum, type SQL } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { jobs } from "./tables.ts";
import { voiceClones, voiceSamples } from "./voice-tables.ts";

/** A voice that failed before it was ever trained does not count toward the limits. */
export const isCounted = or(ne(jobs.status, "failed"), isNotNull(voiceClones.trainedAt))!;

/** What a user has stored, counted inside the same transaction that stores more. */
export type VoiceUsage = ReturnType<typeof createVoiceUsage>;

export function createVoiceUsage({ orm }: Engine) {
  const counted = (which: SQL): number =>
    orm
      .select({ n: count() })
      .from(voiceClones)
      .innerJoin(jobs, eq(jobs.id, voiceClones.jobId))
      .where(and(which, isCounted))
      .get()?.n ?? 0;
  const countOf = (userId: string): number => counted(eq(voiceClones.userId, userId));
  const counts = (cloneId: string): boolean => counted(eq(voiceClones.id, cloneId)) === 1;

  function bytesOf(userId: string): number {
    const files = orm
      .select({
        bytes: sum(
          sql`CASE WHEN ${voiceSamples.hasOriginal} THEN ${voiceSamples.bytes} ELSE 0 END + ${voiceSamples.derivedBytes}`,
        ),
      })
      .from(voiceSamples)
      .innerJoin(voiceClones, eq(voiceClones.id, voiceSamples.cloneId))
      .where(eq(voiceClones.userId, userId))
      .get();
    const recordings = orm
      .select({ bytes: sum(sql`json_extract(${voiceClones.consent}, '$.recording.bytes')`) })
      .from(voiceClones)
      .where(eq(voiceClones.userId, userId))
      .get();
    return Number(files?.bytes ?? 0) + Number(recordings?.bytes ?? 0);
  }

  return { countOf, counts, bytesOf };
}
