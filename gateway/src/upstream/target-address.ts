/** Where a service is: its name or address without brackets, as sockets take it. */
export interface TargetAddress {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
}

/** Reads a service's address once: the proxy would parse it anew for every request. */
export const targetOf = (url: string): TargetAddress => {
  const { protocol, hostname, port } = new URL(url);
  const standard = protocol === 'https:' ? 443 : 80;
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || standard };
};
