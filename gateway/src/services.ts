/** The operations and pages that one service may expose, whatever its description contains. */
export interface ServiceRow {
  readonly prefixes: readonly string[];
  /** The domains whose scopes its operations may require. */
  readonly domains: readonly string[];
  /** Public operations as `METHOD /path`. Any other operation without a scope is not routed. */
  readonly open: readonly string[];
  /** Prefixes of public web pages. Pages are not operations, so no description lists them. */
  readonly pages: readonly string[];
  /** Prefixes of public web pages with forms, which are sent with POST. */
  readonly forms: readonly string[];
  /** Prefixes below which a session, not a token, identifies the caller. */
  readonly sessions: readonly string[];
}

const row = (given: Partial<ServiceRow> & Pick<ServiceRow, 'prefixes'>): ServiceRow => ({
  domains: [],
  open: [],
  pages: [],
  forms: [],
  sessions: [],
  ...given,
});

/** Every service that the gateway can route to. */
export const services = {
  authorizer: row({
    prefixes: ['/auth', '/.well-known', '/svc/v3/clients', '/svc/v3/users', '/svc/v3/api-keys', '/svc/v3/usage'],
    domains: ['clients', 'users'],
    open: [
      'POST /auth/token',
      'POST /auth/introspect',
      'POST /auth/revoke',
      'GET /auth/jwks',
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/openid-configuration',
    ],
    forms: ['/auth/authorize', '/auth/logout', '/auth/invitation'],
  }),
  catalog: row({ prefixes: ['/svc/v3/catalog'], domains: ['catalog'] }),
  contacts: row({ prefixes: ['/svc/v3/contacts', '/contacts'], domains: ['contacts'] }),
  orders: row({ prefixes: ['/svc/v3/orders'], domains: ['orders'] }),
  tickets: row({ prefixes: ['/svc/v3/tickets'], domains: ['tickets'] }),
  events: row({ prefixes: ['/svc/v3/events', '/svc/v3/webhooks'], domains: ['events'] }),
  pos: row({
    prefixes: ['/tnwr/v1', '/tnwr/vexp', '/shop'],
    pages: ['/shop'],
    sessions: ['/tnwr/v1', '/tnwr/vexp', '/shop'],
  }),
} as const satisfies Record<string, ServiceRow>;

export type ServiceName = keyof typeof services;

/** The names of all services, in the order of the table. */
export const serviceNames = Object.keys(services) as ServiceName[];

/** Whether a path equals the prefix or is below it. */
export const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
