import { type AnyOperation, ok, operation } from '@boxoffice/http';
import type { Context } from '../context.ts';
import { VerificationKey } from '../schemas.ts';
import { offlineVerification, testVector } from './offline-verification.ts';

/** Barcodes: signing, keys, and the public keys for offline verification. */
export const keyRoutes = ({ keys }: Pick<Context, 'keys'>): AnyOperation[] => [
  operation({
    id: 'getVerificationKey',
    method: 'get',
    path: '/svc/v3/tickets/verification-key',
    access: 'tickets:read',
    admits: ['customer'],
    summary: 'Returns the public keys that verify barcodes offline',
    description: offlineVerification,
    answers: { 200: VerificationKey },
    etag: true,
    example: { answer: { ...testVector.key, keys: [testVector.key] } },
    handle: async ({ caller }) => {
      const published = await keys.published(caller.institution);
      const etag = published.map(({ kid }) => kid).join('.');
      return ok({ ...published[0], keys: [...published] }, { etag });
    },
  }),
];
