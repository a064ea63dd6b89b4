import type { Retentions } from '@boxoffice/service';

/** A token counts a little longer by another clock. */
const CLOCKS_MS = 60_000;

/** How long what the authorizer stores is kept. */
export const retention: Retentions = {
  clients: { kept: 'for good; deleted ones without scopes and secrets' },
  revocations: {
    kept: 'until the token would have expired (`ACCESS_TOKEN_LIFETIME_SECONDS`)',
    ends: [{ field: 'expiresAt', afterMs: CLOCKS_MS }],
  },
  signing_keys: { kept: 'for good; a compromised one until its rotation' },
};
