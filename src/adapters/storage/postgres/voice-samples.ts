import { and, eq, inArray } from "drizzle-orm";
import { decideNewSamples, decideRetraining, decideSampleRemoval } from "../../../features/voice/decisions.ts";
import type { VoiceStore } from "../../../features/voice/store.ts";
import type { Engine } from "./engine.ts";
import { changeClones, owned, readClone, readSamples } from "./voice-rows.ts";
import { voiceClones, voiceSamples } from "./voice-tables.ts";

type SampleOperations = Pick<
  VoiceStore,
  "samples" | "addSamples" | "removeSample" | "retrain" | "markOriginalsDeleted" | "findClones"
>;

/** Samples of a clone; each change of them starts a new training in the same transaction. */
export function createVoiceSamples({ orm, transact }: Engine): SampleOperations {
  return {
    samples: async (workspaceId, cloneId) =>
      (await readClone(orm, owned(workspaceId, cloneId))) === null ? [] : readSamples(orm, cloneId),
    addSamples: (request) =>
      transact((connection) =>
        changeClones(connection, request.workspaceId, (facts) => decideNewSamples(request, facts)),
      ),
    removeSample: (request) =>
      transact((connection) =>
        changeClones(connection, request.workspaceId, (facts) => decideSampleRemoval(request, facts)),
      ),
    retrain: (request) =>
      transact((connection) =>
        changeClones(connection, request.workspaceId, (facts) => decideRetraining(request, facts)),
      ),
    markOriginalsDeleted: async (cloneId, sampleIds) =>
      void (await orm
        .update(voiceSamples)
        .set({ hasOriginal: false })
        .where(and(eq(voiceSamples.cloneId, cloneId), inArray(voiceSamples.id, [...sampleIds])))),
    async findClones(cloneIds) {
      const wanted = [...cloneIds];
      const rows = await orm
        .select({ cloneId: voiceClones.id, sampleId: voiceSamples.id })
        .from(voiceClones)
        .leftJoin(voiceSamples, eq(voiceSamples.cloneId, voiceClones.id))
        .where(inArray(voiceClones.id, wanted));
      const byClone = Map.groupBy(rows, ({ cloneId }) => cloneId);
      return new Map([...byClone].map(([id, found]) => [id, new Set(found.flatMap(({ sampleId }) => sampleId ?? []))]));
    },
  };
}
