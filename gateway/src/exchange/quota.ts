/** What is left to somebody. */
export interface Quota {
  /** The limit's name. */
  readonly policy: Policy;
  readonly allowed: boolean;
  /** Requests that are left. */
  readonly left: number;
  /** Seconds until the quota is whole again. */
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
