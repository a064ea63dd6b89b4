import type { Address } from '@boxoffice/testkit';

/** What the attacker knows and may use. */
export interface AttackPlan {
  readonly address: Address;
  /** The loopback addresses of its sockets. */
  readonly from: readonly string[];
  /** The share of one core that it may use. */
  readonly share: number;
  /** Connections to hold open without a request. */
  readonly connections: number;
  /** Sockets that send headers or a body slowly. */
  readonly slow: number;
  readonly seed: string;
  /** The point of sale that it attacks, and what is sold there. */
  readonly serviceHost: string;
  readonly item: { readonly performanceId: string; readonly tariffId: string; readonly seatCategoryId: string };
  /** The id of the honest partner's client; its secret is guessed. */
  readonly clientId: string;
  /** An order of the honest partner. */
  readonly orderId: string;
  readonly tokens: {
    /** Signed by the product, past its time. */
    readonly expired: string;
    readonly wrongSignature: string;
    readonly withoutSignature: string;
    /** Valid, of another institution. */
    readonly otherInstitution: string;
  };
}

/** What the product answered to the attacker so far. */
export interface AttackCounts {
  /** By kind of request, then by status; `none` without a response. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Every 5xx: the request, its status and code, whether it was planned, and how often. */
  readonly errors: readonly {
    readonly request: string;
    readonly status: number;
    readonly code: string;
    readonly planned: boolean;
    readonly count: number;
  }[];
  /** Connections without a request that are open now, and the most that ever were. */
  readonly open: number;
  readonly mostOpen: number;
  /** Connections that were opened, and those that the product reset at once. */
  readonly connected: number;
  readonly reset: number;
  /** The share of one core that was used. */
  readonly share: number;
}
