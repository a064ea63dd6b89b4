import type { Retentions } from '@boxoffice/service';
import { forgetInvitation } from './users/invitations.ts';

/** Tolerance for other processes' clocks. Milliseconds. */
const CLOCKS_MS = 60_000;

/** How long the authorizer stores its data. */
export const retention: Retentions = {
  clients: { retained: 'for good; deleted ones without scopes and secrets' },
  revocations: {
    retained: 'until the token would have expired (`ACCESS_TOKEN_LIFETIME_SECONDS`)',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  users: { retained: 'until they are deleted, or the data of their contact is erased' },
  invitations: {
    retained: 'seven days (`INVITATION_MS`), or until they are accepted or replaced',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
    along: (store, { id, institution }) => forgetInvitation(store, institution, id),
  },
  admin_departures: { retained: 'for good; one per institution, of seconds' },
  login_attempts: {
    retained: '15 minutes after the last wrong password (`WINDOW_MS`)',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
  signing_keys: { retained: 'for good; a compromised one until its rotation' },
};
