/**
 * The public addresses of the platform. Web and backend use the same paths for different resources, so each has its
 * own address.
 */
export const surfaces = ['web', 'backend', 'summarizer'] as const

export type Surface = (typeof surfaces)[number]

/**
 * Returns CloudFront's path patterns of route prefixes. The pattern of the root matches only the root, because other
 * functions serve the paths below it.
 */
export function pathPatterns(prefixes: readonly string[]): string[] {
  return prefixes.flatMap((prefix) => (prefix === '/' ? ['/'] : [prefix, `${prefix}/*`]))
}

export const edgeAddressText = 'address by the edge'

/** The headers that the edge of a surface sets on each request. They replace headers of the caller with the same name. */
export const edgeHeaders = {
  /** The address of the viewer, without a port. */
  viewerAddress: 'x-viewer-ip',
  /**
   * The proof that the edge's function wrote that address, and not the viewer: HMAC-SHA256 of `edgeAddressText` under
   * ORIGIN_SECRET, in base64url.
   */
  viewerAddressProof: 'x-viewer-ip-proof',
  /** The secret that proves that a request came through the edge. */
  proof: 'x-origin-secret',
} as const
