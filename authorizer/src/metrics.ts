import type { Metrics, Reading } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { monthOf } from './domain/api-key.ts';
import { apiKeyUsesCollection, sessionsCollection } from './store.ts';

const signInOutcomes = ['signed_in', 'wrong', 'throttled', 'busy'] as const;

/** What became of a login and a password that were sent to the sign-in page. */
type SignInOutcome = (typeof signInOutcomes)[number];

const grantOutcomes = {
  authorization_code: ['given', 'refused', 'replayed'],
  refresh_token: ['given', 'repeated', 'refused', 'replayed'],
} as const;

/** The grants of users. */
export type GrantType = keyof typeof grantOutcomes;

/** What became of a code or a refresh token: `repeated` within ten seconds, `replayed` if its tokens end. */
type GrantOutcome = (typeof grantOutcomes)[GrantType][number];

/** Counts what the authorizer does for users. */
export type AuthorizerMetrics = ReturnType<typeof createAuthorizerMetrics>;

/** Makes the counters. Every series begins with 0, so that its first increase is seen. */
export const createAuthorizerMetrics = (metrics: Metrics | undefined) => {
  const signIns = metrics?.counter({
    name: 'authorizer_sign_ins_total',
    help: 'Logins and passwords sent to the sign-in page, by outcome',
    labels: ['outcome'],
  });
  const grants = metrics?.counter({
    name: 'authorizer_grants_used_total',
    help: 'Codes and refresh tokens sent to the token endpoint, by outcome',
    labels: ['grant_type', 'outcome'],
  });
  for (const outcome of signInOutcomes) signIns?.({ outcome }, 0);
  for (const [grant_type, outcomes] of Object.entries(grantOutcomes)) {
    for (const outcome of outcomes) grants?.({ grant_type, outcome }, 0);
  }
  return {
    signIn: (outcome: SignInOutcome): void => signIns?.({ outcome }),
    grantUsed: (grant_type: GrantType, outcome: GrantOutcome): void => grants?.({ grant_type, outcome }),
  };
};

/** API keys whose requests are a metric of their own: the most used ones, so that the series stay few. */
const MOST_KEYS = 10;

/**
 * Gauges over all institutions, each read from an index on scrape. Every instance reports the same value, so aggregate
 * with `max`, not `sum`.
 */
export const watchAuthorizer = (store: Store, metrics: Metrics): void => {
  const sessions = store.collection(sessionsCollection).acrossInstitutions;
  metrics.watch({ name: 'authorizer_sessions', help: 'Sessions of users that have not expired' }, async () => [
    { value: await sessions.count({ expiresAt: { gt: Date.now() } }) },
  ]);
  const uses = store.collection(apiKeyUsesCollection).acrossInstitutions;
  const keys = {
    name: 'authorizer_api_key_requests',
    help: 'Requests of this calendar month with the most used API keys',
    labels: ['institution', 'api_key'],
  };
  metrics.watch(keys, async (): Promise<readonly Reading[]> => {
    const where = { month: monthOf(Date.now()) };
    const most = await uses.find({ where, orderBy: 'used', descending: true, limit: MOST_KEYS });
    return most.map(({ id, institution, used }) => ({ value: used, labels: { institution, api_key: id } }));
  });
};
