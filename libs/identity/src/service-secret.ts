import { REVOCATIONS_PATH } from './constants.ts';
import { serviceAuthorization } from './service-credentials.ts';

/** What to tell the operator of a process that the authorizer does not believe. */
export const WRONG_SERVICE_SECRET =
  'the authorizer refuses this process: SERVICE_SECRET is not the one that the authorizer was started with (or its list of services lacks this one); calls between services fail until then';

export interface SecretQuestion {
  readonly authorizerUrl: string;
  /** The name of this service. */
  readonly service: string;
  /** SERVICE_SECRET as this service has it. */
  readonly secret: string;
  /** Gives the question up. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Asks the authorizer whether it believes a service with this secret. Resolves to `unknown` when it does not answer, or answers with an error of
 * its own. Whom it believes it may still refuse this operation, which is the gateway's (403): that is enough to know.
 */
export const askAboutSecret = async (question: SecretQuestion): Promise<'right' | 'wrong' | 'unknown'> => {
  const { authorizerUrl, service, secret, signal, timeoutMs = 3_000 } = question;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(new URL(REVOCATIONS_PATH, authorizerUrl), {
    headers: { authorization: serviceAuthorization(service, secret) },
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch(() => undefined);
  await response?.body?.cancel().catch(() => undefined);
  if (!response || response.status >= 500) return 'unknown';
  return response.status === 401 ? 'wrong' : 'right';
};
