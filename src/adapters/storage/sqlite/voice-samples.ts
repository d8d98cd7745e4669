import { and, eq, inArray } from "drizzle-orm";
import { decideNewSamples, decideRetraining, decideSampleRemoval } from "../../../features/voice/decisions.ts";
import type { VoiceStore } from "../../../features/voice/store.ts";
import type { Engine } from "./engine.ts";
import type { VoiceRows } from "./voice-rows.ts";
import { voiceClones, voiceSamples } from "./voice-tables.ts";

type SampleOperations = Pick<
  VoiceStore,
  "samples" | "addSamples" | "removeSample" | "retrain" | "markOriginalsDeleted" | "findClones"
>;

/** Samples of a clone; each change of them starts a new training in the same transaction. */
export function createVoiceSamples({ orm, writer }: Engine, { facts, apply }: VoiceRows): SampleOperations {
  async function known(cloneIds: readonly string[]) {
    const wanted = [...cloneIds];
    const clones = orm.select({ id: voiceClones.id }).from(voiceClones).where(inArray(voiceClones.id, wanted)).all();
    const found = new Map(clones.map(({ id }) => [id, new Set<string>()]));
    const rows = orm
      .select({ id: voiceSamples.id, cloneId: voiceSamples.cloneId })
      .from(voiceSamples)
      .where(inArray(voiceSamples.cloneId, wanted))
      .all();
    for (const { id, cloneId } of rows) found.get(cloneId)?.add(id);
    return found;
  }

  return {
    samples: async (workspaceId, cloneId) =>
      facts.clone(workspaceId, cloneId) === null ? [] : [...facts.samples(cloneId)],
    addSamples: (request) => writer.write(() => apply(decideNewSamples(request, facts))),
    removeSample: (request) => writer.write(() => apply(decideSampleRemoval(request, facts))),
    retrain: (request) => writer.write(() => apply(decideRetraining(request, facts))),
    markOriginalsDeleted: (cloneId, sampleIds) =>
      writer.write(
        () =>
          void orm
            .update(voiceSamples)
            .set({ hasOriginal: false })
            .where(and(eq(voiceSamples.cloneId, cloneId), inArray(voiceSamples.id, [...sampleIds])))
            .run(),
      ),
    findClones: known,
  };
}
