import type { IncomingMessage } from 'node:http';
import type { Caller } from '@boxoffice/identity';
import type { VisitorAccess } from '../operation.ts';

/** Who sends a request to an operation for visitors, as the service that has their sessions sees it. */
export interface Visiting<Visitor = unknown> {
  /** What handlers get as `visitor`. */
  readonly visitor: Visitor;
  /** Headers of the answer, if it is a 2xx. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The session, as what idempotency keys belong to; undefined without one. */
  readonly session?: string;
}

/** Who calls. */
export interface Admitted extends Omit<Visiting, 'visitor'> {
  readonly caller: Caller;
  readonly visitor: unknown;
}

/**
 * Lets a visitor in, by the headers of the request alone: its body is not read yet. Rejects with the fault that it is answered if the
 * point of sale or the session is not there, or the session does not have what `access` asks for.
 */
export type Admit<Visitor = unknown> = (
  request: IncomingMessage,
  access: VisitorAccess,
) => Promise<Visiting<Visitor>> | Visiting<Visitor>;
