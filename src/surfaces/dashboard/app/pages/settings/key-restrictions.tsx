import type { KeyRateLimits, KeyUsageView, KeyView } from "../../../../../platform/auth/key-model.ts";
import { api } from "../../api.ts";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { TextArea, TextField, type Form } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";

/** Form values of what a key is limited to; empty: not limited. */
export type RestrictionValues = { networks: string; perMinute: string; perHour: string; perDay: string };

type Restrictions = Pick<KeyView, "rateLimits" | "allowedNetworks">;

export function restrictionValues({ rateLimits, allowedNetworks }: Restrictions): RestrictionValues {
  const shown = (limit: number | undefined) => (limit === undefined ? "" : String(limit));
  const { minute, hour, day } = rateLimits ?? {};
  return {
    networks: (allowedNetworks ?? []).join("\n"),
    perMinute: shown(minute),
    perHour: shown(hour),
    perDay: shown(day),
  };
}

export function restrictionsIn({ networks, perMinute, perHour, perDay }: RestrictionValues): Restrictions {
  const list = networks.split(/[\s,]+/).filter((entry) => entry !== "");
  const limits: KeyRateLimits = {
    ...(perMinute.trim() !== "" && { minute: Number(perMinute) }),
    ...(perHour.trim() !== "" && { hour: Number(perHour) }),
    ...(perDay.trim() !== "" && { day: Number(perDay) }),
  };
  return {
    rateLimits: Object.keys(limits).length === 0 ? null : limits,
    allowedNetworks: list.length === 0 ? null : list,
  };
}

/** Fields for what a key is limited to besides its permissions. */
export function RestrictionFields<V extends RestrictionValues & Record<string, string | boolean>>({
  form,
}: {
  form: Form<V>;
}) {
  return (
    <details class="restrictions">
      <summary>Networks and rate limits</summary>
      <TextArea
        form={form}
        name="networks"
        path="allowedNetworks"
        label="Allowed networks"
        rows={3}
        isOptional
        hint="Addresses or networks, one per line, such as 203.0.113.7 or 10.0.0.0/8. If empty, the key works from anywhere."
      />
      <div class="fields">
        <TextField
          form={form}
          name="perMinute"
          path="rateLimits.minute"
          label="Requests per minute"
          type="number"
          min={1}
          isOptional
        />
        <TextField
          form={form}
          name="perHour"
          path="rateLimits.hour"
          label="Requests per hour"
          type="number"
          min={1}
          isOptional
        />
        <TextField
          form={form}
          name="perDay"
          path="rateLimits.day"
          label="Requests per day"
          type="number"
          min={1}
          isOptional
        />
      </div>
    </details>
  );
}

const width = 600;
const height = 60;
const gap = 3;

/** Requests of a key by day, as bars; a text says the same to screen readers. */
export function KeyUsage({ keyId }: { keyId: string }) {
  const usage = useResource((signal) => api.get<KeyUsageView>(`/keys/${keyId}/usage`, { signal }), [keyId]);
  return (
    <Loaded resource={usage} lines={2}>
      {({ days }) => {
        const most = Math.max(...days.map(({ requests }) => requests), 1);
        const total = days.reduce((sum, { requests }) => sum + requests, 0);
        const step = width / days.length;
        const label = `${count(total)} requests in ${days.length} days, at most ${count(most)} on a day`;
        return (
          <figure class="key-usage">
            <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
              {days.map(({ date, requests }, index) => (
                <rect
                  key={date}
                  x={index * step + gap / 2}
                  y={height * (1 - requests / most)}
                  width={step - gap}
                  height={(height * requests) / most}
                >
                  <title>{`${date}: ${count(requests)}`}</title>
                </rect>
              ))}
            </svg>
            <figcaption class="hint">{total === 0 ? `No requests in ${days.length} days` : label}</figcaption>
          </figure>
        );
      }}
    </Loaded>
  );
}
