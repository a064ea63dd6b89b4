/** A request that is counted. */
export interface Metered {
  readonly institution: string;
  readonly apiKeyId: string | null;
  readonly clientId: string | null;
  readonly userId: string | null;
  readonly operation: string;
  readonly status: number;
  /** Whether the key admitted it: then it counts against the key's quota. */
  readonly admitted: boolean;
  /** Bytes of the answer's body. */
  readonly bytes: number;
}

/** Equal requests of one minute, as the authorizer takes them. */
export interface CountedRequests extends Metered {
  /** ISO 8601 UTC. */
  readonly minute: string;
  /** When the last of them was answered. Epoch milliseconds. */
  last: number;
  requests: number;
  bytes: number;
}

/** What was counted since the report before: sent until it is acknowledged, unchanged, so that it counts once. */
export interface Report {
  /** The id of the gateway process that counted. */
  readonly gateway: string;
  /** From 1, without gaps. */
  readonly sequence: number;
  readonly rows: readonly CountedRequests[];
}
