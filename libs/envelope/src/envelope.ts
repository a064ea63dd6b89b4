import { type Code, registry } from './registry.ts';

/** A family A answer with a 2xx status (specification, section 2). */
export interface Success<Data> {
  readonly status: 'success';
  readonly details: null;
  readonly data: Data;
}

/** A family A answer with a 4xx or 5xx status: `data` is null, but for the one exception that contacts can build. */
export interface Failure<Data = null> {
  readonly status: string;
  readonly details: string;
  readonly data: Data;
}

/** Builds the envelope of a 2xx answer. */
export const success = <Data extends object | null>(data: Data): Success<Data> => ({
  status: 'success',
  details: null,
  data,
});

/** Builds the envelope of an error; `details` must not be empty. */
export const failure = (code: Code, details: string): Failure => ({
  status: registry[code].status,
  details,
  data: null,
});
