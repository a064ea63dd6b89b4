/** The address of the benchmark's authorizer, and who may use it. */
export interface AuthorizerAnnouncement {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The public client at which users sign in. */
  readonly publicId: string;
  readonly user: { readonly login: string; readonly password: string };
  /** The login of a locked user. */
  readonly lockedLogin: string;
  readonly apiKey: string;
  /** The gateway's service secret. */
  readonly serviceSecret: string;
  readonly issuer: string;
}

/** Where the users of the public client return to. */
export const REDIRECT_URI = 'https://bench.example/callback';
