// Of the operator's program: the check of stored documents, for harnesses that judge an installation by it.

export type { CheckedStores } from './check/reading.ts';
export { type Verified, verify } from './check/verify.ts';
