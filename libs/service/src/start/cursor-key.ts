import { hkdfSync } from 'node:crypto';

/**
 * The key that signs a service's list cursors: the same in all its instances, of no use to any other service (RFC
 * 5869).
 */
export const cursorKeyOf = (serviceSecret: string, service: string): Buffer =>
  Buffer.from(hkdfSync('sha256', serviceSecret, '', `boxoffice cursors of ${service}`, 32));
