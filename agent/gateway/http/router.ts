import type { Handler } from './exchange.ts'
import { Problem } from './problem.ts'

/** A path in segments, where `:name` stands for any one segment. */
export type Route = { method: string; path: string; open?: boolean; handle: Handler }

export type Match = { route: Route; params: string[] }

/**
 * Finds the route of a request. Segments are decoded one by one and after splitting, so an encoded
 * slash or dot never changes which route is taken.
 * @throws Problem 404 for an unknown path, 405 with Allow for a wrong method, 400 for bad encoding
 */
export function findRoute(routes: readonly Route[], method: string, path: string): Match {
  const segments = path.split('/').map(decode)
  const matches = routes.flatMap((route) => {
    const params = matchPath(route.path.split('/'), segments)
    return params === undefined ? [] : [{ route, params }]
  })
  const match = matches.find(({ route }) => route.method === method)
  if (match !== undefined) return match

  if (matches.length === 0) throw new Problem(404, 'unknown_path', 'There is nothing at this path')
  throw new Problem(405, 'method_not_allowed', `${method} is not allowed here`, {
    headers: { allow: matches.map(({ route }) => route.method).join(', ') },
  })
}

/** Whether a path answers without a token. */
export function isOpen(routes: readonly Route[], path: string): boolean {
  return routes.some((route) => route.open === true && route.path === path)
}

function matchPath(pattern: string[], segments: string[]): string[] | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: string[] = []
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (part.startsWith(':')) params.push(segment)
    else if (part !== segment) return undefined
  }
  return params
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new Problem(400, 'invalid_path', 'The path is not valid percent-encoding', { cause })
  }
}
