/** Which services a service may call: one way only, and nobody else but the authorizer. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['catalog'],
  orders: ['catalog', 'contacts', 'tickets'],
  pos: ['catalog', 'contacts', 'orders', 'tickets'],
};

/** Every service that proves itself to the authorizer. */
export const SERVICES: readonly string[] = ['gateway', 'catalog', 'contacts', 'orders', 'tickets', 'pos'];

/** Whether the service may call operations of the other. */
export const mayCall = (service: string, audience: string): boolean =>
  Object.hasOwn(CALLS, service) && (CALLS[service]?.includes(audience) ?? false);
