import fc from 'fast-check'
import { userStore } from '../../../shared/platform/table/user-store.ts'
import type { Table } from '../../../shared/platform/table/port.ts'
import { allOperations, type Operation } from '../../../tests/fuzz/operations.ts'
import { fitting, type Named } from '../../../tests/fuzz/schema.ts'
import { asked, newPerson, type Person, request } from './people.ts'
import type { MeteredStack, Units } from './platform.ts'

/** What one call of a route consumes, and what it answered: many requests that are made from a schema are refused. */
export interface RouteUnits extends Units {
  status: number
}

/**
 * Left out: streams that go on until their reader leaves, whose reads go by the hour; and what starts or ends a container,
 * whose events come when they like. hot.ts has those of them that count.
 */
const leftOut =
  /\/stream$|\/(start|restart|repair|stop|token|chat|deployments)$|^DELETE \/api\/agents\/\{id\}$/

/** These end what the calls after them need. */
const last = /^DELETE |\/(logout|delete|sessions)$/

/**
 * Calls every route of every surface once, but for a few, in one order, by its first way in, as a subscriber with an agent that never
 * runs; nothing else is under way. Bodies are made from the documents' schemas, each time the same.
 */
export async function measureRoutes(
  metered: MeteredStack,
  table: Table,
): Promise<Record<string, RouteUnits>> {
  const { urls } = metered.stack
  const internal = { authorization: `Bearer ${metered.secrets['INTERNAL_API_KEY']}` }
  const person = await newPerson(metered, 'meter-0001', 'solo')
  const headers = { ...internal, 'x-user-id': person.id }
  const { id } = await asked(`${urls.backend}/api/agents`, { headers, body: { name: 'Rhythm' } })
  // More than a plan allows: no route starts a container, whose events would come when they like.
  await userStore(table, person.id).update('profile', { set: { agentCount: 1_000_000 } })
  const named = {
    id: String(id),
    agentId: String(id),
    userId: person.id,
    email: 'meter-0001@example.com',
  }

  const operations = allOperations()
    .filter(({ method, path }) => !leftOut.test(`${method} ${path}`))
    .toSorted((a, b) => order(a) - order(b))
  const units: Record<string, RouteUnits> = {}
  for (const operation of operations) {
    const { surface, method, path } = operation
    const { reads, writes, result } = await metered.measure(() =>
      request(urls[surface] + target(operation, named), {
        method,
        headers: credentialsOf(operation, person, internal),
        ...bodyOf(operation, named),
      }),
    )
    units[`${surface} ${method} ${path}`] = { status: result.status, reads, writes }
  }
  return Object.fromEntries(Object.entries(units).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function order({ method, path }: Operation): number {
  return last.test(`${method} ${path}`) ? 1 : 0
}

function credentialsOf(
  { credentials: [first] }: Operation,
  person: Person,
  internal: Record<string, string>,
): Record<string, string> {
  if (first === undefined) return {}
  if (first === 'session') return person.session
  if (first === 'key') return { authorization: `Bearer ${person.key}` }
  return {
    ...internal,
    'x-user-id': person.id,
    'x-user-plan': 'solo',
    'x-billing-subscription-id': 'sub_meter-0001',
  }
}

function target({ path, parameters }: Operation, named: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(named[name] ?? `none_${'0'.repeat(26)}`),
  )
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name, schema }) => [name, named[name] ?? String(sampled(schema, {}))] as const)
  const pairs = new URLSearchParams(Object.fromEntries(query))
  return query.length === 0 ? filled : `${filled}?${pairs}`
}

function bodyOf({ body }: Operation, named: Record<string, string>): { body?: unknown } {
  if (body === undefined) return {}
  const given: Named = Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name, fc.constant(value)]),
  )
  return { body: sampled(body.schema, given) ?? {} }
}

/** One of the values that a schema takes, the same each time. */
function sampled(schema: Parameters<typeof fitting>[0], named: Named): unknown {
  return fc.sample(fitting(schema, named), { seed: 1, numRuns: 1 })[0]
}
