/**
 * What workerd promises to a worker: its behaviour as of that day, and what of Node's it lends. Tests and Cloudflare are
 * told the same.
 */
export const workerCompatibility = {
  date: '2026-01-01',
  flags: ['nodejs_compat', 'enable_request_signal'],
} as const
