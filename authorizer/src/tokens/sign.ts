import type { KeyObject } from 'node:crypto';
import { ACCESS_TYPE, SIGNATURE_ALGORITHM } from '@boxoffice/identity';
import jwt from 'jsonwebtoken';

/** Signs the claims of an access token, given as JSON (RFC 9068, 2; RFC 7515, 3.1). */
export const signAccessToken = (claims: string, kid: string, key: KeyObject): string =>
  jwt.sign(claims, key, {
    algorithm: SIGNATURE_ALGORITHM,
    header: { typ: ACCESS_TYPE, alg: SIGNATURE_ALGORITHM, kid },
  });
