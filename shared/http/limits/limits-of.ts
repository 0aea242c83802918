import { surfaceLimits } from '../../manifest/limits.ts'
import type { RateLimit, Surface } from '../../manifest/types.ts'

/** The limits that a route's requests count against: its surface's, then its own. */
export function limitsOf(
  surface: Surface,
  { path, limits = [] }: { path: string; limits?: readonly RateLimit[] },
): readonly RateLimit[] {
  const shared = surfaceLimits.filter(
    (each) => each.surface === surface && path.startsWith(each.below),
  )
  return [...shared, ...limits]
}
