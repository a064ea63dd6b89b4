const UNDO = 'undo.';
const NOT_ON_SALE = 'gone.';

/** Marks the request id of an aborted step: no repeat may resume it. */
export const aborted = (request: string): string => (isAborted(request) ? request : `${UNDO}${request}`);

/** Marks the request id of a step that is aborted because its performance was cancelled. */
export const offSale = (request: string): string => (isAborted(request) ? request : `${NOT_ON_SALE}${request}`);

export const isOffSale = (request: string): boolean => request.startsWith(NOT_ON_SALE);

export const isAborted = (request: string): boolean => request.startsWith(UNDO) || isOffSale(request);

/** The request id that other services know. */
export const originalRequest = (request: string): string =>
  isAborted(request) ? request.slice(request.indexOf('.') + 1) : request;
