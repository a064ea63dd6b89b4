import { success } from '@boxoffice/envelope';
import { OAuthFault } from './oauth-error.ts';

/** A request to one of the endpoints that OAuth defines, before anything of it was looked at. */
export interface RawRequest {
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** What follows the `?`, undecoded; empty without one. */
  readonly query: string;
  readonly body: string;
}

/** An answer whose body is sent as it is: an envelope with the RFC's members beside it, or a bare document. */
export interface RawAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Answers a request, or rejects with a Fault. */
export type Endpoint = (request: RawRequest) => Promise<RawAnswer> | RawAnswer;

/** Nothing that holds a token or speaks of one is stored on its way (RFC 6749, 5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** The envelope and, beside it, its data's members at the top level, where standard OAuth clients look for them. */
export const envelopeWith = (members: object): RawAnswer => ({
  status: 200,
  headers: NO_STORE,
  body: { ...success(members), ...members },
});

/** Parameters belong into the form: in the address they would end up in logs. */
export const refuseQuery = (query: string): void => {
  if (query === '') return;
  throw new OAuthFault(
    'invalid_parameter',
    'invalid_request',
    'This operation takes no query parameters; send them as a form.',
  );
};
