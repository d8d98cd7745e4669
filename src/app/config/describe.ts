import {
  flagName,
  optionName,
  showValue,
  variableName,
  type Option,
  type OptionTable,
  type Origin,
  type Resolution,
} from "./sources.ts";

/** An option with its effective value. */
export type OptionReport = {
  /** Key in the TOML file. */
  name: string;
  flag: string;
  env: string;
  /** As an operator would write it; null = not set. A secret that is set shows as "[secret]". */
  value: string | null;
  origin: Origin;
  unit: string | null;
  description: string;
};

/** Returns a report for each option, in the order of the table. */
export function describeOptions<T extends OptionTable>(table: T, { values, origins }: Resolution<T>): OptionReport[] {
  const valueOf: Readonly<Record<string, unknown>> = values;
  const originOf: Readonly<Record<string, Origin>> = origins;
  return Object.entries<Option<unknown>>(table).map(([key, option]) => {
    const value = showValue(option, valueOf[key]);
    return {
      name: optionName(key),
      flag: flagName(key, option),
      env: variableName(key),
      value: value !== null && option.secret ? "[secret]" : value,
      origin: originOf[key] ?? "default",
      unit: option.unit ?? null,
      description: option.description,
    };
  });
}
