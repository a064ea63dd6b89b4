/** The state of one rate limit for one key. */
export interface Quota {
  /** The limit's policy. */
  readonly policy: Policy;
  readonly allowed: boolean;
  /** Remaining requests. */
  readonly left: number;
  /** Seconds until the window ends. */
  readonly resetSeconds: number;
}

export interface Policy {
  readonly name: string;
  /** The value of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  readonly field: string;
}

/** The value of `RateLimit`. */
export const rateLimitField = ({ policy, left, resetSeconds }: Quota): string =>
  `"${policy.name}";r=${left};t=${resetSeconds}`;
