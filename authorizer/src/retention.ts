import type { Retentions } from '@boxoffice/service';
import { SESSION_IDLE_MS } from './domain/user.ts';
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
  users: {
    retained: 'until they are deleted; those of role `customer` also until the data of their contact is erased',
  },
  invitations: {
    retained: 'seven days (`INVITATION_MS`), or until they are accepted or replaced',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
    along: (store, { id, institution }) => forgetInvitation(store, institution, id),
  },
  admin_departures: { retained: 'for good; one per institution, of seconds' },
  grants: {
    retained:
      'a code for 60 seconds (`CODE_MS`); tokens until the last has expired: 30 days after the last refresh (`REFRESH_IDLE_MS`), ' +
      'at most 90 (`REFRESH_ABSOLUTE_MS`), or until the user is deleted',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  sessions: {
    retained:
      '30 minutes after the last use (`SESSION_IDLE_MS`), at most 12 hours (`SESSION_ABSOLUTE_MS`), or until the user ' +
      'is deleted',
    ends: [
      { field: 'expiresAt', afterMs: CLOCKS_MS },
      { field: 'lastSeenAt', afterMs: SESSION_IDLE_MS + CLOCKS_MS },
    ],
  },
  consents: { retained: 'until the user is deleted' },
  sent_forms: { retained: 'ten minutes (`FORM_MS`)', ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }] },
  institutions: { retained: 'for good' },
  login_attempts: {
    retained: '15 minutes after the last wrong password (`WINDOW_MS`)',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
  api_keys: { retained: 'for good; deleted ones without origins, so that their usage keeps a name' },
  api_key_uses: { retained: 'as long as their keys' },
  usage: {
    retained: 'per minute 3 days, per hour 92 days, per day 3 years',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  gateways: { retained: 'a minute after their last report', ends: [{ field: 'reportedAt', afterMs: CLOCKS_MS }] },
  limit_shares: {
    retained: 'two minutes after the last report (`KEPT_MS`)',
    ends: [{ field: 'expiresAt', afterMs: 0 }],
  },
  signing_keys: { retained: 'for good; a compromised one until its rotation' },
};
