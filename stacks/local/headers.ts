/** Headers of one connection only (RFC 9110, section 7.6.1, and RFC 9112, section 6), in lower case. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The same without `transfer-encoding`, for proxies that stream bodies: the next connection frames the body by it. */
export const hopHeaders: ReadonlySet<string> = new Set(
  [...connectionHeaders].filter((name) => name !== 'transfer-encoding'),
)
