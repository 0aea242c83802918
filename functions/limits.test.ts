import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { limitsOf } from '../shared/http/limits/limits-of.ts'
import type { Route } from '../shared/http/route.ts'
import { functions } from '../shared/manifest/index.ts'

const groups = await Promise.all(
  functions.flatMap(({ entry, trigger }) =>
    trigger.kind === 'http'
      ? [
          import(join('..', entry)).then(({ routes }: { routes: readonly Route<never>[] }) =>
            routes.map((route) => ({ surface: trigger.surface, route })),
          ),
        ]
      : [],
  ),
)
const routes = groups.flat()

/** spec.md, Rate limits, and contract.md 2: requests a minute to a path and to all below it. */
const promised = [
  ['backend', 'ALL', '/api', 120],
  ['backend', 'ALL', '/api/ai', 30],
  ['backend', 'POST', '/api/deployments', 5],
  ['backend', 'ALL', '/bootstrap', 600],
  ['web', 'ALL', '/api/agents', 100],
  ['web', 'ALL', '/api/chat', 60],
  ['web', 'ALL', '/api/instance', 30],
  ['web', 'ALL', '/api/provision', 5],
  ['web', 'ALL', '/api/register', 60],
  ['web', 'ALL', '/api/auth/forgot-password', 60],
  ['web', 'ALL', '/api/auth/reset-password', 60],
  ['web', 'POST', '/api/demo/chat', 60],
] as const

const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`)

describe('rate limits', () => {
  it.each(routes.map((each) => [`${each.surface} ${each.route.method} ${each.route.path}`, each]))(
    'of %s have what the documents promise among them',
    (_name, { surface, route }) => {
      const expected = promised.filter(
        ([where, method, prefix]) =>
          where === surface &&
          (method === 'ALL' || method === route.method) &&
          isBelow(route.path, prefix),
      )
      const limits = new Set(limitsOf(surface, route).map(({ perMinute }) => perMinute))
      expect(expected.filter(([, , , perMinute]) => !limits.has(perMinute))).toEqual([])
    },
  )

  it('of one name are one limit, and each path that is limited has a counter of its own', () => {
    const limits = routes.flatMap(({ surface, route }) =>
      limitsOf(surface, route).map(({ scope, perMinute, message }) => ({
        scope: `${surface} ${scope}`,
        as: JSON.stringify([perMinute, message]),
      })),
    )
    const scopes = new Set(limits.map(({ scope }) => scope))
    expect(new Set(limits.map(({ scope, as }) => scope + as)).size).toBe(scopes.size)
    expect(scopes.size).toBeGreaterThanOrEqual(promised.length)
  })

  it('of containers that wait leave room for agents that start behind the same address', () => {
    const scopesOf = (name: string) =>
      routes
        .filter(({ route }) => route.name === name)
        .flatMap(({ surface, route }) => limitsOf(surface, route).map(({ scope }) => scope))
    const [waiting, starting] = ['agents.bootstrap.warm', 'agents.bootstrap'].map(scopesOf)
    expect(waiting).toHaveLength(1)
    expect(starting).not.toEqual(waiting)
  })
})
