import { Fault } from '@boxoffice/envelope';

/** The fault of a path that no operation and no page has. */
export const noSuchEndpoint = (): Fault =>
  new Fault('not_found', 'There is no such endpoint. The reference of all endpoints is at /docs.');
