import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'

export interface Route {
  spec: FunctionSpec
  /** The route key of API Gateway: `ANY /api/chat`, `ANY /api/chat/{proxy+}` or `$default`. */
  routeKey: string
  /** The value of `{proxy+}` in this request. */
  proxy?: string
}

/**
 * Finds the function of a path. The longest prefix of whole segments wins; `{name}` matches any one segment; `$default`
 * gets all other paths.
 */
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
    .map(({ prefix, spec }) => ({ prefix, spec, pattern: patternOf(prefix) }))

  return (path) => {
    for (const { prefix, spec, pattern } of prefixes) {
      const [matched, proxy] = pattern.exec(path) ?? []
      if (matched === undefined) continue
      return proxy === undefined
        ? { spec, routeKey: `ANY ${prefix}` }
        : { spec, routeKey: `ANY ${prefix}/{proxy+}`, proxy }
    }
    return fallback && { spec: fallback, routeKey: '$default' }
  }
}

/** Matches the prefix itself and, except for the root, everything below it. */
function patternOf(prefix: string): RegExp {
  const segments = prefix
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll('.', String.raw`\.`)))
  return new RegExp(`^${segments.join('')}${prefix === '/' ? '' : '(?:/(.+))?'}$`, 's')
}
