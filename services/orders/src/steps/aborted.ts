const UNDO = 'undo.';
const NOT_ON_SALE = 'gone.';

/** The name of a request whose effect is being taken back: nobody may take it up any more. */
export const aborted = (request: string): string => (isAborted(request) ? request : `${UNDO}${request}`);

/** The name of a request that must not succeed because its performance was cancelled meanwhile. */
export const offSale = (request: string): string => (isAborted(request) ? request : `${NOT_ON_SALE}${request}`);

export const isOffSale = (request: string): boolean => request.startsWith(NOT_ON_SALE);

export const isAborted = (request: string): boolean => request.startsWith(UNDO) || isOffSale(request);

/** The name by which the peers know the request. */
export const originalRequest = (request: string): string =>
  isAborted(request) ? request.slice(request.indexOf('.') + 1) : request;
