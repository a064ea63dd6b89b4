import type { Retentions } from '@boxoffice/service';

/** How long what this service stores is kept. */
export const retention: Retentions = {
  tickets: { kept: 'for good; without names once their contact is erased' },
  ticket_orders: { kept: 'for good' },
  replacements: { kept: 'until both tickets are written, at most ten minutes (`FORGOTTEN_MS`)' },
  erased_contacts: { kept: 'for good: the number alone, so that a fact which comes late brings no name back' },
  barcode_keys: { kept: 'for good, so that every ticket stays verifiable' },
};
