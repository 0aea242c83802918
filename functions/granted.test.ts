import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Route } from '#shared/http/route.ts'
import { type FunctionSpec, functions } from '#shared/manifest/index.ts'

const root = join(import.meta.dirname, '..')
const named = functions.map((spec) => [spec.name, spec] as const)

/** Returns the settings that shared/http itself reads for a group. The type of `wire` covers the others. */
async function readByKit({ entry, trigger }: FunctionSpec): Promise<string[]> {
  if (trigger.kind !== 'http' || trigger.surface === 'summarizer') return []
  const { routes } = (await import(join(root, entry))) as { routes: readonly Route<never>[] }
  const asksForKey = routes.some(({ guard }) => guard.includes('internal'))
  const changes = routes.some(({ method, crossSite }) => method !== 'GET' && crossSite !== true)
  return [
    'ORIGIN_SECRET',
    ...(asksForKey ? ['INTERNAL_API_KEY'] : []),
    ...(changes && trigger.surface === 'web' ? ['WEB_URL'] : []),
  ]
}

describe('the function', () => {
  it.each(named)('%s is wired with its own grants', async (name, { entry }) => {
    const source = await readFile(join(root, entry), 'utf8')
    const configs = [...source.matchAll(/\bConfigOf<'([^']+)'>/g)].map(([, of]) => of)
    expect(configs).toEqual(/\bwire(:|\(\s*config)/.test(source) ? [name] : [])
  })

  it.each(named)('%s is granted the guards of its routes', async (_, spec) => {
    expect([...spec.settings, ...spec.secrets]).toEqual(
      expect.arrayContaining(await readByKit(spec)),
    )
  })
})

it('functions of the summarizer hold no key of another function', () => {
  const reservations = functions.flatMap(({ trigger, secrets }) =>
    trigger.kind === 'http' && trigger.surface === 'summarizer' ? secrets : [],
  )
  expect([...new Set(reservations)].sort()).toEqual(['EVM_RPC_URL', 'ORIGIN_SECRET'])
})

it('functions with equal rights are one function, unless their trigger or their load differs', () => {
  const classOf = ({ trigger, grants, secrets, ...load }: FunctionSpec) =>
    JSON.stringify([
      trigger.kind,
      trigger.kind === 'queue' ? trigger.queue : undefined,
      trigger.kind === 'http' ? [trigger.surface, trigger.streaming, trigger.uploads] : undefined,
      grants.map((grant) => JSON.stringify(grant)).toSorted(),
      secrets.toSorted(),
      [load.timeoutSeconds, load.vpc, load.edge, load.reserved, load.service],
    ])
  const classes = Map.groupBy(functions, classOf)
  const double = [...classes.values()].filter(({ length }) => length > 1)
  expect(double.map((same) => same.map(({ name }) => name))).toEqual([])
})
