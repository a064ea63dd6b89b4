import { REVOCATIONS_PATH } from './constants.ts';
import { serviceAuthorization } from './service-credentials.ts';

/**
 * The operator's message for a process whose secret the authorizer refuses, from its answer; names the secret's owner
 * if it is another process's.
 */
export const refusedSecret = async (refusal: Response): Promise<string> => {
  const envelope = (await refusal.json().catch(() => undefined)) as { readonly details?: unknown } | undefined;
  const given = typeof envelope?.details === 'string' ? envelope.details.replace(/\.$/, '') : '';
  const reason = given.includes('SERVICE_SECRET')
    ? given
    : `SERVICE_SECRET is not what the authorizer expects ${given}`;
  return `the authorizer refuses this process: ${reason.trim()}; it does not become ready, and its calls of others fail, until it has its own (operator service-secrets)`;
};

export interface SecretToVerify {
  readonly authorizerUrl: string;
  /** The name of this service. */
  readonly service: string;
  /** SERVICE_SECRET as this service has it. */
  readonly secret: string;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Whether the authorizer accepts a process's secret; `unknown` when it does not respond, or fails itself. */
export type SecretVerdict =
  | { readonly secret: 'right' | 'unknown' }
  | { readonly secret: 'wrong' /** One line, for the operator. */; readonly reason: string };

/**
 * Verifies a service's secret with the authorizer. The operation is the gateway's, so another service with a valid
 * secret gets 403, which suffices as proof.
 */
export const verifySecret = async (own: SecretToVerify): Promise<SecretVerdict> => {
  const { authorizerUrl, service, secret, signal, timeoutMs = 3_000 } = own;
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
