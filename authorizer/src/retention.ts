import type { Retentions } from '@boxoffice/service';

/** Tolerance for other processes' clocks. Milliseconds. */
const CLOCKS_MS = 60_000;

/** How long the authorizer stores its data. */
export const retention: Retentions = {
  clients: { retained: 'for good; deleted ones without scopes and secrets' },
  revocations: {
    retained: 'until the token would have expired (`ACCESS_TOKEN_LIFETIME_SECONDS`)',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  signing_keys: { retained: 'for good; a compromised one until its rotation' },
};
