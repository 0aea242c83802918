/**
 * The paths of the console's pages on the web surface's origin: contract.md 14. `/*` includes all paths below. Every
 * path returns the same page; the console's router selects the screen.
 */
export const consolePaths = [
  '/',
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/welcome',
  '/dashboard',
  '/agents',
  '/agents/*',
  '/automation',
  '/usage',
  '/mission-control',
  '/keys',
  '/device',
  '/connect',
  '/billing',
  '/account',
  '/operator',
  '/operator/*',
] as const

/** Scripts, styles and images of the console; their names change with their content. */
export const consoleAssets = '/assets/*'

/** Cache-Control by kind of file: a page changes with each deployment, an asset never changes. */
export const consoleCaching = {
  page: 'no-cache',
  asset: 'public, max-age=31536000, immutable',
} as const

/**
 * Content Security Policy of the pages: resources of their own origin only, no inline scripts or styles, no HTML
 * from text.
 */
const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Headers of the console's pages and assets besides caching; deployed stages add HSTS. */
export const consoleHeaders = {
  'content-security-policy': consolePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const
