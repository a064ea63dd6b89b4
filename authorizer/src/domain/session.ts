/** The times of a user's session. Epoch milliseconds. */
export interface SessionTimes {
  /** When the user entered the password. */
  readonly signedInAt: number;
  /** Updated about once a minute. */
  readonly lastSeenAt: number;
  /** The absolute end. */
  readonly expiresAt: number;
}

/** How long a session lives without use. */
export const SESSION_IDLE_MS = 30 * 60_000;

/** How long a session lives in any case. */
export const SESSION_ABSOLUTE_MS = 12 * 3_600_000;

/** Minimum time between two writes of `lastSeenAt`. */
export const TOUCH_MS = 60_000;

/** Whether the session lives. */
export const isOpen = ({ lastSeenAt, expiresAt }: SessionTimes, at: number): boolean =>
  at < expiresAt && at < lastSeenAt + SESSION_IDLE_MS;

/** Whether the user entered the password recently enough (OpenID Connect Core, 3.1.2.1, `max_age`). */
export const isFresh = ({ signedInAt }: SessionTimes, maxAgeSeconds: number | undefined, at: number): boolean =>
  maxAgeSeconds === undefined || at - signedInAt <= maxAgeSeconds * 1000;
