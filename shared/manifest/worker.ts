/**
 * The compatibility settings of workers: the behaviour of workerd on that day, and the Node APIs that it provides.
 * Tests and Cloudflare use the same configuration.
 */
export const workerCompatibility = {
  date: '2026-01-01',
  flags: ['nodejs_compat', 'enable_request_signal'],
} as const
