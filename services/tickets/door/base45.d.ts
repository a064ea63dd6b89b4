export declare function toBase45(bytes: Uint8Array): string;
export declare function fromBase45(text: string): Uint8Array | undefined;
