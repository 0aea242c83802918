/** The part of workerd's own module that is used here; it has no types of its own in npm's package. */
declare module 'cloudflare:workers' {
  /** The worker's bindings. */
  export const env: Readonly<Record<string, string | undefined>>
  /** Keeps the request at hand alive for a promise, also when its caller has gone; 30 seconds at Cloudflare. */
  export function waitUntil(promise: Promise<unknown>): void
}
