import { count } from "../format.ts";

/** How much of a limit is used, and how much more is planned. A null limit is shown without a bar. */
export function Meter({
  label,
  name = label,
  used,
  planned = 0,
  limit,
}: {
  label: string;
  /** Name for screen readers, which includes the context. */
  name?: string;
  used: number;
  planned?: number;
  limit: number | null;
}) {
  const share = limit === null ? 0 : Math.min(1, limit === 0 ? 1 : used / limit);
  const plannedShare = limit === null || limit === 0 ? 0 : Math.min(1 - share, planned / limit);
  const words = limit === null ? `${count(used)}, no limit` : `${count(used)} of ${count(limit)}`;
  return (
    <div class="meter">
      <div class="meter-words">
        <span>{label}</span>
        <span class="number">{words}</span>
      </div>
      <div
        class={`meter-bar ${share >= 1 ? "full" : share >= 0.8 ? "near" : ""}`}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={limit ?? Math.max(used, 1)}
        aria-valuenow={limit === null ? used : Math.min(used, limit)}
        aria-valuetext={words}
      >
        <span class="meter-used" style={{ width: `${share * 100}%` }} />
        <span class="meter-planned" style={{ width: `${plannedShare * 100}%` }} />
      </div>
    </div>
  );
}

/** Progress of an operation, in percent. */
export function Progress({ label, percent }: { label: string; percent: number }) {
  return (
    <div class="meter">
      <div class="meter-words">
        <span>{label}</span>
        <span class="number">{Math.round(percent)}%</span>
      </div>
      <div
        class="meter-bar"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
      >
        <span class="meter-used" style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}
