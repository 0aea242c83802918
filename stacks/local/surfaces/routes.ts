import type { FunctionSpec, Surface } from '../../../shared/manifest/index.ts'

export interface Route {
  spec: FunctionSpec
  /** As API Gateway names it: `ANY /api/chat`, `ANY /api/chat/{proxy+}` or `$default`. */
  routeKey: string
  /** What `{proxy+}` stands for in this request. */
  proxy?: string
}

/**
 * Finds the function of a path: the longest prefix wins, whole segments only, where `{name}` stands for any one;
 * `$default` takes what is left.
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

/** Takes the prefix itself and, but for the root, everything below it. */
function patternOf(prefix: string): RegExp {
  const segments = prefix
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll('.', String.raw`\.`)))
  return new RegExp(`^${segments.join('')}${prefix === '/' ? '' : '(?:/(.+))?'}$`, 's')
}
