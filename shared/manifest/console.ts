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
  '/approvals',
  '/approvals/*',
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

/**
 * Assets that a deployment no longer has are tagged and deleted this many days later. Pages that are still open load them
 * until then.
 */
export const retiredAssets = { tag: 'retired', days: 30 } as const

const contentTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Returns the content type of a console file. @throws Error for an unknown extension */
export function consoleContentType(path: string): string {
  const type = contentTypes[path.split('.').at(-1) ?? '']
  if (type === undefined) throw new Error(`${path}: no content type is known for it`)
  return type
}

/** Cache-Control by kind of file: a page changes with each deployment, an asset never changes. */
export const consoleCaching = {
  page: 'no-cache',
  asset: 'public, max-age=31536000, immutable',
} as const

/**
 * Returns the Content Security Policy of the pages: resources of their own origin only, no inline scripts or styles, no
 * HTML from text.
 * @param uploads the origin of links to upload files, if it is not the pages' own
 */
export function consolePolicy(uploads?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${uploads === undefined ? '' : ` ${uploads}`}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/**
 * Headers of the console's pages and assets besides caching. Deployed stages add HSTS, and the origin of uploads to the
 * policy.
 */
export const consoleHeaders = {
  'content-security-policy': consolePolicy(),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const
