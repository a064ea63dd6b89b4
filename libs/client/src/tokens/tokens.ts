import { unlessAborted } from '../http/wait.ts';

/** Tokens as the application stores them. */
export interface TokenSet {
  readonly accessToken: string;
  /** Used once: each renewal gives the next one. */
  readonly refreshToken?: string;
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
}

/** The tokens of one client, and their renewal. */
export interface Tokens {
  /** An access token that has not expired. */
  current(signal?: AbortSignal): Promise<string>;
  /** Replaces a refused access token; false if there is no way to. */
  replace(refused: string, signal?: AbortSignal): Promise<boolean>;
}

export interface TokensOptions {
  readonly first?: TokenSet;
  /** The form that gets the next tokens; undefined if there is no way to. */
  readonly form: (last: TokenSet | undefined) => Readonly<Record<string, string>> | undefined;
  /** Requests tokens with a form. */
  readonly issue: (form: Readonly<Record<string, string>>) => Promise<TokenSet>;
  readonly onTokens?: (tokens: TokenSet) => void | Promise<void>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** A token is renewed this long before it expires, or after nine tenths of a shorter life. */
const EARLY_MS = 30_000;

/** Keeps the tokens of a client: requested once for all who wait for them, renewed before they expire. */
export const createTokens = (options: TokensOptions): Tokens => {
  const { form, issue, onTokens, now = Date.now } = options;
  let last = options.first;
  let renewAt = last?.expiresAt === undefined ? Number.POSITIVE_INFINITY : last.expiresAt - EARLY_MS;
  let pending: Promise<TokenSet> | undefined;

  const request = async (fields: Readonly<Record<string, string>>): Promise<TokenSet> => {
    const asked = now();
    const issued = await issue(fields);
    const life = (issued.expiresAt ?? Number.POSITIVE_INFINITY) - asked;
    last = { refreshToken: last?.refreshToken, ...issued };
    renewAt = asked + Math.max(life - EARLY_MS, life * 0.9);
    await onTokens?.(last);
    return last;
  };
  const next = (): Promise<TokenSet> | undefined => {
    const fields = pending ? undefined : form(last);
    if (fields)
      pending = request(fields).finally(() => {
        pending = undefined;
      });
    return pending;
  };

  return {
    async current(signal) {
      const present = last;
      if (present && now() < renewAt) return present.accessToken;
      const renewed = next();
      if (!renewed) return present?.accessToken ?? '';
      const isAlive = present && now() < (present.expiresAt ?? 0);
      return (await unlessAborted(isAlive ? renewed.catch(() => present) : renewed, signal)).accessToken;
    },
    async replace(refused, signal) {
      if (last && last.accessToken !== refused) return true;
      const renewed = next();
      if (renewed) await unlessAborted(renewed, signal);
      return renewed !== undefined;
    },
  };
};
