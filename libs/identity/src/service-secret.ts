import { type AuthorizerCaller, createAuthorizerCalls } from './authorizer-calls.ts';
import { REVOCATIONS_PATH } from './constants.ts';

/**
 * The operator's message for a process whose secret the authorizer refuses, from the details of its answer; names the
 * secret's owner if it is another process's.
 */
export const refusedSecret = (details: string | null): string => {
  const given = details?.replace(/\.$/, '') ?? '';
  const reason = given.includes('SERVICE_SECRET')
    ? given
    : `SERVICE_SECRET is not what the authorizer expects ${given}`;
  return `the authorizer refuses this process: ${reason.trim()}; it does not become ready, and its calls of others fail, until it has its own (operator service-secrets)`;
};

/** Whether the authorizer accepts a process's secret; `unknown` when it does not respond, or fails itself. */
type SecretVerdict =
  | { readonly secret: 'right' | 'unknown' }
  | { readonly secret: 'wrong' /** One line, for the operator. */; readonly reason: string };

/**
 * Verifies a service's secret with the authorizer. The operation is the gateway's, so another service with a valid
 * secret gets 403, which suffices as proof. `signal` aborts the request.
 */
export const verifySecret = (own: AuthorizerCaller, signal?: AbortSignal): Promise<SecretVerdict> =>
  createAuthorizerCalls(own)({ path: REVOCATIONS_PATH, signal }).then(
    ({ status, details }) =>
      status === 401 ? { secret: 'wrong', reason: refusedSecret(details) } : { secret: 'right' },
    () => ({ secret: 'unknown' }),
  );
