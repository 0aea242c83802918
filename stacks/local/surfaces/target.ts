/** Returns the path and query of a request target, which may also be an absolute URL. */
export function parseTarget(url: string): URL | undefined {
  // With an explicit authority, a path such as `//host/` stays a path.
  return URL.parse(url.startsWith('/') ? `http://surface${url}` : url) ?? undefined
}
