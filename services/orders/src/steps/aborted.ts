const ABORTED_PREFIX = 'undo.';
const OFF_SALE_PREFIX = 'gone.';

/** The request id of an aborted step: no repeat may resume it. */
export const aborted = (request: string): string => (isAborted(request) ? request : `${ABORTED_PREFIX}${request}`);

/** The request id of a step that is aborted because its performance was cancelled. */
export const offSale = (request: string): string => (isAborted(request) ? request : `${OFF_SALE_PREFIX}${request}`);

export const isOffSale = (request: string): boolean => request.startsWith(OFF_SALE_PREFIX);

export const isAborted = (request: string): boolean => request.startsWith(ABORTED_PREFIX) || isOffSale(request);

/** The request id that other services know. */
export const originalRequest = (request: string): string =>
  isAborted(request) ? request.slice(request.indexOf('.') + 1) : request;
