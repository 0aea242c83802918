import type { FunctionSpec, Surface } from '../../manifest/index.ts'

export interface Route {
  spec: FunctionSpec
  /** As API Gateway names it: `ANY /api/chat`, `ANY /api/chat/{proxy+}` or `$default`. */
  routeKey: string
  /** What `{proxy+}` stands for in this request. */
  proxy?: string
}

/** Finds the function of a path: the longest prefix wins, whole segments only, `$default` takes what is left. */
export function routeTable(
  functions: readonly FunctionSpec[],
  surface: Surface,
): (path: string) => Route | undefined {
  const entries = functions.flatMap((spec) =>
    spec.trigger.kind === 'http' && spec.trigger.surface === surface
      ? spec.trigger.prefixes.map((prefix) => ({ prefix, spec }))
      : [],
  )
  const fallback = entries.find(({ prefix }) => prefix === '$default')?.spec
  const prefixes = entries
    .filter(({ prefix }) => prefix !== '$default')
    .sort((a, b) => b.prefix.length - a.prefix.length)

  return (path) => {
    for (const { prefix, spec } of prefixes) {
      if (path === prefix) return { spec, routeKey: `ANY ${prefix}` }
      if (prefix !== '/' && path.startsWith(`${prefix}/`) && path.length > prefix.length + 1)
        return {
          spec,
          routeKey: `ANY ${prefix}/{proxy+}`,
          proxy: path.slice(prefix.length + 1),
        }
    }
    return fallback && { spec: fallback, routeKey: '$default' }
  }
}
