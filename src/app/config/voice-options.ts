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
    description: `Engine for new voice clones: ${voiceEngineNames.join(", ")}. local is built in, works offline, and speaks English.`,
  }),
  voiceMaxClones: option({
    argument: "NUMBER",
    parse: wholeNumber(0, 1_000_000),
    default: 5,
    unit: "clones",
    description: "Maximum number of voice clones per user.",
  }),
  voiceMaxBytes: option({
    argument: "SIZE",
    parse: size(0, 2 ** 50),
    default: 4 * 2 ** 30,
    show: showSize,
    description: "Disk space per user for voice recordings and trained voices, such as 4GiB or 500MB.",
  }),
  voiceConsent: option<ConsentMode>({
    argument: "MODE",
    parse: oneOf(consentModes),
    default: "off",
    description:
      "Consent required for a new voice clone: off, attest (a statement that the speaker consented), or recording (the speaker's recorded consent).",
  }),
  voiceOriginals: option<OriginalsPolicy>({
    argument: "POLICY",
    parse: oneOf(originalsPolicies),
    default: "keep",
    description:
      "What happens to recordings once their voice is trained: keep, or delete (which retains up to 30 s of each).",
  }),
  voiceCacheBytes: option({
    argument: "SIZE",
    parse: size(0, 2 ** 50),
    default: 256 * 2 ** 20,
    show: showSize,
    description: "Disk space for cached speech, which is reused for the same text. 0 disables the cache.",
  }),
};

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
