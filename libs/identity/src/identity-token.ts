import type { KeyObject } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import jwt from 'jsonwebtoken';
import { type Caller, type CallerUser, IDENTITY_LIFETIME_SECONDS, type IdentityVerifier, readUser } from './caller.ts';
import type { KeySet } from './key-set.ts';
import { createTokenVerifier, signJws } from './signed-token.ts';

/** The `iss` of identity tokens. They never leave the installation, so it is a name and no address. */
const IDENTITY_ISSUER = 'boxoffice-authorizer';

/** The `typ` of identity tokens, so that no access token passes for one (RFC 8725, 3.11). */
const IDENTITY_TYPE = 'identity+jwt';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

type Optional = 'user' | 'bounds' | 'isPublic';

/** Without the optional members: a client without bounds, or a service. */
export type SignedCaller = Omit<Caller, Optional> & Partial<Pick<Caller, Optional>>;

export interface IdentityTokenOptions {
  readonly audience: string;
  readonly caller: SignedCaller;
  /** Epoch seconds. */
  readonly issuedAt: number;
  /** Seconds, at most IDENTITY_LIFETIME_SECONDS. */
  readonly lifetime?: number;
}

export function signIdentity(key: SigningKey, options: IdentityTokenOptions): string {
  const { audience, caller, issuedAt, lifetime = IDENTITY_LIFETIME_SECONDS } = options;
  const claims = {
    iss: IDENTITY_ISSUER,
    aud: audience,
    institution: caller.institution,
    ...callerClaims(caller),
    scope: caller.scopes.join(' '),
    operation: caller.operation,
    iat: issuedAt,
    exp: issuedAt + Math.min(lifetime, IDENTITY_LIFETIME_SECONDS),
  };
  return signJws(JSON.stringify(claims), { type: IDENTITY_TYPE, kid: key.kid }, key.privateKey);
}

/** A user's client is within `user`, a bounded one within `bounded`: a verifier that knows neither refuses them. */
const callerClaims = ({ client, service, user = null, bounds = null, isPublic = false }: SignedCaller) => ({
  ...(bounds === null
    ? clientClaim(client, user)
    : {
        bounded: {
          ...clientClaim(client, user),
          own_orders: bounds.ownOrders,
          points_of_sale: bounds.pointsOfSale.map((host) => host.toLowerCase()).toSorted(),
          on_account: bounds.onAccount,
          reservation_days: bounds.reservationDays,
          held_places: bounds.heldPlaces,
        },
      }),
  ...(service === null ? {} : { service }),
  ...(isPublic ? { public: true } : {}),
});

const clientClaim = (client: string | null, user: CallerUser | null) => {
  if (user !== null) return { user: userClaim(user, client) };
  return client === null ? {} : { client };
};

const userClaim = ({ id, role, contact, pointsOfSale }: CallerUser, client: string | null) => ({
  id,
  client,
  role,
  ...(contact === null ? {} : { contact }),
  ...(pointsOfSale.length === 0 ? {} : { points_of_sale: pointsOfSale }),
});

type Claims = Readonly<Record<string, unknown>>;

/** Unverified: for whoever got the token from the authorizer itself. Undefined if it is malformed. */
export function decodeCaller(token: string): Caller | undefined {
  try {
    const payload = jwt.decode(token);
    return typeof payload === 'object' && payload !== null ? readCaller(payload) : undefined;
  } catch {
    return undefined;
  }
}

const readCaller = (payload: Claims): Caller | undefined => {
  const { institution, operation, scope, iat, exp } = payload;
  if (typeof institution !== 'string' || typeof operation !== 'string' || typeof scope !== 'string') return undefined;
  if (typeof iat !== 'number' || Number(exp) - iat > IDENTITY_LIFETIME_SECONDS) return undefined;
  const { bounded } = payload;
  const named = bounded === undefined ? readClient(payload) : readBounded(Object(bounded));
  if (!named) return undefined;
  return {
    institution,
    operation,
    bounds: null,
    ...named,
    service: textOrNull(payload.service),
    scopes: scope.split(' ').filter(Boolean),
    isPublic: payload.public === true,
  };
};

const readClient = ({ client, user }: Claims): Pick<Caller, 'client' | 'user'> | undefined =>
  user === undefined ? { client: textOrNull(client), user: null } : readUserClaim(Object(user));

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const readUserClaim = (claim: object): Pick<Caller, 'client' | 'user'> | undefined => {
  const { id, client, role, contact, points_of_sale } = claim as Readonly<Record<string, unknown>>;
  const user = readUser({ id, role, contact, pointsOfSale: points_of_sale });
  return user && typeof client === 'string' ? { client, user } : undefined;
};

const readBounded = (claim: Claims): Pick<Caller, 'client' | 'user' | 'bounds'> | undefined => {
  const { own_orders: ownOrders, points_of_sale: pointsOfSale } = claim;
  const { on_account: onAccount, reservation_days: reservationDays, held_places: heldPlaces } = claim;
  const named = readClient(claim);
  if (!named || named.client === null || typeof ownOrders !== 'boolean') return undefined;
  if (!Array.isArray(pointsOfSale) || pointsOfSale.some((host) => typeof host !== 'string')) return undefined;
  if (onAccount !== undefined && typeof onAccount !== 'boolean') return undefined;
  if (!isLimit(reservationDays) || !isLimit(heldPlaces)) return undefined;
  return {
    ...named,
    bounds: {
      ownOrders,
      pointsOfSale,
      ...(onAccount !== undefined && { onAccount }),
      ...(reservationDays !== undefined && { reservationDays }),
      ...(heldPlaces !== undefined && { heldPlaces }),
    },
  };
};

const isLimit = (claim: unknown): claim is number | undefined => claim === undefined || typeof claim === 'number';

interface IdentityVerifierOptions {
  readonly keys: KeySet;
  readonly audience: string;
  readonly now?: () => number;
}

/** Rejects with Fault `unauthorized`, or `service_unavailable` without keys. */
export function createIdentityVerifier(options: IdentityVerifierOptions): IdentityVerifier {
  return createTokenVerifier<Caller>({
    keys: options.keys,
    type: IDENTITY_TYPE,
    issuer: IDENTITY_ISSUER,
    audience: options.audience,
    read: readCaller,
    refuse: (reason) => new Fault('unauthorized', `The identity token is not valid: ${reason}.`),
    now: options.now ?? Date.now,
  });
}
