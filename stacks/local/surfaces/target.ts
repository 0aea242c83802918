/** The path and query of a request line, which may also carry a whole URL. */
export function parseTarget(url: string): URL | undefined {
  // An authority of our own keeps a path like `//host/` a path.
  return URL.parse(url.startsWith('/') ? `http://surface${url}` : url) ?? undefined
}
