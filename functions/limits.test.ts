import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anonymousLimitsOf, limitsOf, acceptsAnonymous } from '#shared/http/limits/limits-of.ts'
import type { Route } from '#shared/http/route.ts'
import { functions, type Surface } from '#shared/manifest/index.ts'

const groups = await Promise.all(
  functions.flatMap(({ entry, grants, trigger }) =>
    trigger.kind === 'http'
      ? [
          import(join('..', entry)).then(({ routes }: { routes: readonly Route<never>[] }) =>
            routes.map((route) => ({ surface: trigger.surface, route, grants })),
          ),
        ]
      : [],
  ),
)
const routes = groups.flat()

/**
 * Requests per minute for a path and all paths below it, and paths with a limit of their own instead: spec.md, Rate limits, and
 * contract.md 2 and 20.
 */
const promised: readonly (readonly [Surface, 'ALL' | 'POST', string, number, string?])[] = [
  ['backend', 'ALL', '/api', 120, '/api/agent-files'],
  ['backend', 'ALL', '/api/agent-files', 600],
  ['backend', 'ALL', '/api/ai', 30],
  ['backend', 'POST', '/api/deployments', 5],
  ['backend', 'ALL', '/bootstrap', 300],
  ['web', 'ALL', '/api/agents', 100],
  ['web', 'ALL', '/api/chat', 60],
  ['web', 'ALL', '/api/instance', 30],
  ['web', 'ALL', '/api/provision', 5],
  ['web', 'ALL', '/api/register', 60],
  ['web', 'ALL', '/api/auth/forgot-password', 60],
  ['web', 'ALL', '/api/auth/reset-password', 60],
  ['web', 'POST', '/api/demo/chat', 60],
]

const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`)

describe('rate limits', () => {
  it.each(routes.map((each) => [`${each.surface} ${each.route.method} ${each.route.path}`, each]))(
    'rate limits of %s equal the documented limits',
    (_name, { surface, route }) => {
      const expected = promised.filter(
        ([where, method, prefix, , except]) =>
          where === surface &&
          (method === 'ALL' || method === route.method) &&
          isBelow(route.path, prefix) &&
          !(except !== undefined && isBelow(route.path, except)),
      )
      const limits = new Set(limitsOf(surface, route).map(({ perMinute }) => perMinute))
      expect(expected.filter(([, , , perMinute]) => !limits.has(perMinute))).toEqual([])
    },
  )

  it('rate limits of one name are one limit, and each limited path has its own counter', () => {
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
})

describe('routes without sign-in', () => {
  const open = routes.filter(({ route }) => acceptsAnonymous(route))

  it('have a limit of at most 300 a minute and address, and a counter for it', () => {
    const unlimited = open.filter(({ surface, route, grants }) => {
      const limits = anonymousLimitsOf(surface, route)
      const counts = grants.some(
        (grant) => ('table' in grant && grant.table === 'write') || 'count' in grant,
      )
      return (
        route.unlimited === undefined &&
        !(counts && limits.some(({ perMinute }) => perMinute <= 300))
      )
    })
    expect(unlimited.map(({ route }) => route.name)).toEqual([])
  })

  it('routes without sign-in without a limit are health, documents, signed events and a client of other routes', () => {
    const named = routes.flatMap(({ surface, route: { unlimited, method, path } }) =>
      unlimited === undefined ? [] : [`${unlimited}: ${surface} ${method} ${path}`],
    )
    expect(named.sort()).toMatchInlineSnapshot(`
      [
        "document: backend GET /docs",
        "document: backend GET /openapi.json",
        "document: summarizer GET /",
        "document: summarizer GET /docs",
        "document: summarizer GET /openapi.json",
        "document: web GET /.well-known/oauth-authorization-server",
        "document: web GET /.well-known/oauth-protected-resource",
        "document: web GET /.well-known/oauth-protected-resource/mcp",
        "document: web GET /api/security/risc",
        "document: web GET /docs",
        "document: web GET /openapi.json",
        "forwarded: web POST /mcp",
        "health: backend GET /health",
        "health: backend GET /health/ready",
        "health: summarizer GET /health",
        "health: summarizer GET /health/ready",
        "health: web GET /api/health",
        "health: web GET /health/ready",
        "signed: web POST /api/auth/idp/risc",
        "signed: web POST /api/security/risc",
        "signed: web POST /api/webhooks/email",
        "signed: web POST /api/webhooks/payments",
        "signed: web POST /api/webhooks/streaming",
      ]
    `)
  })
})
