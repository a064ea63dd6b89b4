import type { IncomingMessage } from 'node:http';
import type { Caller } from '@boxoffice/identity';
import type { VisitorAccess } from '../operation.ts';

/** The sender of a request to an operation for visitors, as the service that holds the sessions sees it. */
interface Visiting<Visitor = unknown> {
  /** The handler's `visitor`. */
  readonly visitor: Visitor;
  /** Headers of the answer, if it is a 2xx. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The session that idempotency keys belong to; undefined without one. */
  readonly session?: string;
}

/** The caller. */
export interface Admitted extends Omit<Visiting, 'visitor'> {
  readonly caller: Caller;
  readonly visitor: unknown;
}

/**
 * Admits a visitor by the headers of the request alone, before its body is read. Rejects with the fault to answer if
 * the point of sale or the session does not exist, or the session does not satisfy `access`.
 */
export type Admit<Visitor = unknown> = (
  request: IncomingMessage,
  access: VisitorAccess,
) => Promise<Visiting<Visitor>> | Visiting<Visitor>;
