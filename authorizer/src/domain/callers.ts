/** The one caller of each of the authorizer's own internal operations; any process may call the others. */
const ONLY_FOR: Readonly<Record<string, string>> = {
  decide: 'gateway',
  decidePublic: 'gateway',
  getClientScopes: 'events',
  listOrigins: 'gateway',
  listRevocations: 'gateway',
  recordUsage: 'gateway',
  verifyApiKey: 'gateway',
};

/** The one process that may call this operation of the authorizer; undefined: any. */
export const onlyCallerOf = (operation: string): string | undefined => ONLY_FOR[operation];
