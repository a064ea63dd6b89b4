import type { Retentions } from '@boxoffice/service';
import { ofSession } from '../ids.ts';

/** What the retention goes by of the settings. */
interface Limits {
  readonly sessionIdleSeconds: number;
}

/** A use of a session is written a little after it, and by another clock. */
const LATE_MS = 60_000;

/** How long what this service stores is kept. */
export const retention = ({ sessionIdleSeconds }: Limits): Retentions => ({
  sessions: {
    kept: 'until `SESSION_IDLE_SECONDS` after their last use, at most `SESSION_ABSOLUTE_SECONDS`, with their remembered answers',
    ends: [
      { field: 'expiresAt', afterMs: 0 },
      { field: 'lastSeenAt', afterMs: sessionIdleSeconds * 1_000 + LATE_MS },
    ],
    along: (store, { id }) => store.idempotency.forget(ofSession(id)),
  },
  users: { kept: 'until the operator removes the login or its contact is erased' },
  login_attempts: {
    kept: '15 minutes after the last wrong password (`WINDOW_MS`)',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
});
