import fc from 'fast-check'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { allOperations, type Operation } from '#tests/fuzz/operations.ts'
import { fitting, type Named } from '#tests/fuzz/schema.ts'
import { asked, newPerson, type Person, request } from './people.ts'
import type { MeteredStack, Units } from './platform.ts'

/** The consumption of one call of a route, and its status: many requests that are generated from a schema are refused. */
export interface RouteUnits extends Units {
  status: number
}

/**
 * Left out: streams that stay open until their reader leaves, whose reads depend on time; and calls that start or stop a
 * container, whose events come at any time. hot.ts measures the important ones.
 */
const leftOut =
  /\/stream$|\/(start|restart|repair|stop|token|chat|deployments)$|^DELETE \/api\/agents\/\{id\}$/

/** These routes end what other calls need, so they are called last. */
const last = /^DELETE |\/(logout|delete|sessions)$/

/**
 * Calls every route of every surface once, with a few exceptions, in a fixed order and with its first authentication scheme,
 * as a subscriber with an agent that never runs. Nothing else is active. Bodies are generated from the documents' schemas and
 * are the same every time.
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
  // Over the plan's limit, so that no route starts a container, whose events would come at any time.
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

/** Returns a value that fits a schema, the same every time. */
function sampled(schema: Parameters<typeof fitting>[0], named: Named): unknown {
  return fc.sample(fitting(schema, named), { seed: 1, numRuns: 1 })[0]
}
