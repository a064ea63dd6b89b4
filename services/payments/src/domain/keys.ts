export type Mode = 'test' | 'live' | 'simulated';

const KEY = /^(?:sk|rk)_(test|live|simulated)_[A-Za-z0-9_]{1,250}$/;

/** The pattern of a secret or a restricted key. */
export const KEY_PATTERN = KEY.source;

/** @throws Error for what is no key */
export function readMode(secretKey: string): Mode {
  const mode = KEY.exec(secretKey)?.[1];
  if (mode === 'test' || mode === 'live' || mode === 'simulated') return mode;
  throw new Error('not a secret or restricted key');
}
