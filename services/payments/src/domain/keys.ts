/** A second one is one more, with its file beside `provider/stripe.ts`. */
export const providers = ['stripe'] as const;
export type ProviderName = (typeof providers)[number];

export function isProvider(name: unknown): name is ProviderName {
  return providers.some((provider) => provider === name);
}

export const modes = ['test', 'live', 'simulated'] as const;
export type Mode = (typeof modes)[number];

const KEY = new RegExp(`^(?:sk|rk)_(${modes.join('|')})_[!-~]{1,250}$`);

export const KEY_PATTERN = KEY.source;

export function readMode(secretKey: string): Mode {
  const mode = modes.find((one) => one === KEY.exec(secretKey)?.[1]);
  if (mode === undefined) throw new Error('not a secret or restricted key');
  return mode;
}
