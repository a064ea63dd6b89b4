/** The parts of simple-oauth2 that the tests use; it has no types of its own. */
declare module 'simple-oauth2' {
  export class ClientCredentials {
    constructor(options: {
      client: { id: string; secret: string };
      auth: { tokenHost: string; tokenPath: string; revokePath: string };
      options: { authorizationMethod: 'header' | 'body' };
    });
    getToken(parameters: { scope?: string[] }): Promise<{ token: Record<string, unknown>; expired(): boolean }>;
  }
}
