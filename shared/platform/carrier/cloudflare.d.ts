/** The part of workerd's built-in module that the platform uses; no npm package has types for it. */
declare module 'cloudflare:workers' {
  /** The worker's bindings. */
  export const env: Readonly<Record<string, string | undefined>>
  /**
   * Keeps the current request alive until the promise settles, even if the caller disconnects; at most 30 seconds
   * on Cloudflare.
   */
  export function waitUntil(promise: Promise<unknown>): void
}
