/**
 * The paths of the web surface's origin that are the console's pages: contract.md 14. `/*` takes everything below. All of
 * them answer the one page; what stands there is the console's own router's to say.
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

/** Its scripts, styles and pictures, whose names change with what is in them. */
export const consoleAssets = '/assets/*'

/** How long what is in a file of that kind stays good: a page's text changes with each deployment, an asset's never. */
export const consoleCaching = {
  page: 'no-cache',
  asset: 'public, max-age=31536000, immutable',
} as const

/** What the pages may load and do: nothing but their own origin's, no script or style in the page, no text that becomes HTML. */
export const consolePolicy = [
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

/** Headers of the console's pages and assets beside their caching; where it is deployed, HSTS comes on top. */
export const consoleHeaders = {
  'content-security-policy': consolePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const
