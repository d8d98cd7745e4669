import {
  consentModes,
  originalsPolicies,
  voiceEngineNames,
  type ConsentMode,
  type OriginalsPolicy,
  type VoiceEngineName,
} from "../../features/voice/model.ts";
import type { Option } from "./sources.ts";
import { oneOf, showSize, size, wholeNumber } from "./values.ts";

export const voiceOptions = {
  voiceEngine: option<VoiceEngineName>({
    argument: "NAME",
    parse: oneOf(voiceEngineNames),
    default: "local",
    description: "What new voice clones are trained with. local is built in, works offline and speaks English.",
  }),
  voiceMaxClones: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1_000_000),
    default: 5,
    unit: "clones",
    description: "Voice clones that a user may have.",
  }),
  voiceMaxBytes: option({
    argument: "SIZE",
    parse: size(0, 2 ** 50),
    default: 4 * 2 ** 30,
    show: showSize,
    description: "Disk space for the voice recordings of a user, and what is learned from them: 4GiB, 500MB and so on.",
  }),
  voiceConsent: option<ConsentMode>({
    argument: "MODE",
    parse: oneOf(consentModes),
    default: "off",
    description:
      "What a new voice clone needs: off, attest (a statement that the speaker agreed), or recording (the speaker says so).",
  }),
  voiceOriginals: option<OriginalsPolicy>({
    argument: "POLICY",
    parse: oneOf(originalsPolicies),
    default: "keep",
    description: "Whether recordings are kept once their voice is trained: keep, or delete (up to 30 s of each stay).",
  }),
  voiceCacheBytes: option({
    argument: "SIZE",
    parse: size(0, 2 ** 50),
    default: 256 * 2 ** 20,
    show: showSize,
    description: "Disk space for speech that is kept, so that the same words need not be spoken again. 0 = none.",
  }),
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
