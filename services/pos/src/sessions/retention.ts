import type { Retentions } from '@boxoffice/service';
import { ofSession } from '../ids.ts';

/** The settings that the retention depends on. */
interface Limits {
  readonly sessionIdleSeconds: number;
}

/** Milliseconds of tolerance: the last use is written late, and by an instance with another clock. */
const LATE_MS = 60_000;

/** How long each collection keeps its documents. */
export const retention = ({ sessionIdleSeconds }: Limits): Retentions => ({
  sessions: {
    retained:
      'until `SESSION_IDLE_SECONDS` after their last use, at most `SESSION_ABSOLUTE_SECONDS`, with idempotency ' +
      'records',
    ends: [
      { field: 'expiresAt', afterMs: 0 },
      { field: 'lastSeenAt', afterMs: sessionIdleSeconds * 1_000 + LATE_MS },
    ],
    along: (store, { id }) => store.idempotency.forget(ofSession(id)),
  },
  users: { retained: 'until the operator removes the login or its contact is erased' },
  login_attempts: {
    retained: '15 minutes after the last wrong password (`WINDOW_MS`)',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
});
