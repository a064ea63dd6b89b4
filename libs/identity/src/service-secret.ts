import { REVOCATIONS_PATH } from './constants.ts';
import { serviceAuthorization } from './service-credentials.ts';

/**
 * What to tell the operator of a process that the authorizer does not believe, from its answer: it says whose secret it
 * is, if it is another's.
 */
export const refusedSecret = async (refusal: Response): Promise<string> => {
  const envelope = (await refusal.json().catch(() => undefined)) as { readonly details?: unknown } | undefined;
  const given = typeof envelope?.details === 'string' ? envelope.details.replace(/\.$/, '') : '';
  const reason = given.includes('SERVICE_SECRET')
    ? given
    : `SERVICE_SECRET is not what the authorizer expects ${given}`;
  return `the authorizer refuses this process: ${reason.trim()}; calls between services fail until it has its own (operator service-secrets)`;
};

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
 * Whether the authorizer believes a process; `unknown` when it does not answer, or answers with an error of its own.
 */
export type SecretAnswer =
  | { readonly secret: 'right' | 'unknown' }
  | { readonly secret: 'wrong' /** In one line, for its operator. */; readonly reason: string };

/**
 * Asks the authorizer whether it believes a service with this secret. Whom it believes it may still refuse this
 * operation, which is the gateway's (403): that is enough to know.
 */
export const askAboutSecret = async (question: SecretQuestion): Promise<SecretAnswer> => {
  const { authorizerUrl, service, secret, signal, timeoutMs = 3_000 } = question;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(new URL(REVOCATIONS_PATH, authorizerUrl), {
    headers: { authorization: serviceAuthorization(service, secret) },
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch(() => undefined);
  if (response?.status === 401) return { secret: 'wrong', reason: await refusedSecret(response) };
  await response?.body?.cancel().catch(() => undefined);
  return { secret: !response || response.status >= 500 ? 'unknown' : 'right' };
};
