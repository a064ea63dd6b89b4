/** A service's protocol, host and port; the host without brackets, as sockets expect it. */
export interface TargetAddress {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
}

/** Parses a service's URL once; the proxy would parse it for every request. */
export const targetOf = (url: string): TargetAddress => {
  const { protocol, hostname, port } = new URL(url);
  const standard = protocol === 'https:' ? 443 : 80;
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || standard };
};
