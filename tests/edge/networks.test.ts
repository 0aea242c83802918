import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { hostname, platform } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import { startOf } from '../support/http/carrier.ts'
import { resolverOf } from '../support/http/resolver.ts'
import { settingsOf, startTestTable, type TestTable } from '../support/platform/table.ts'

/**
 * The loopback address of the resolver and the table, which the worker may always reach. On Linux, 127/8 is loopback.
 */
const resolverHost = '127.0.0.2'
const tableHost = '127.0.0.1'

/** A name that only this machine resolves, to its own address. */
const name = hostname()
const itself = await lookup(name, { family: 4 }).then(
  ({ address }) =>
    platform() === 'linux' && ![resolverHost, tableHost].includes(address) ? address : undefined,
  () => undefined,
)

let connections = 0
const server = createServer((_request, response) =>
  response.setHeader('content-type', 'text/html').end('<title>Inside</title>'),
).on('connection', () => connections++)
// Pages are fetched on ports 80 and 443 only, which not every user may open.
const why =
  itself === undefined
    ? `${name} has no address of its own`
    : await once(server.listen(80, itself), 'listening').then(
        () => undefined,
        () => 'port 80 cannot be taken',
      )
let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(async () => {
  server.close()
  await database.close()
})

/** Resolves every name to a public address, as an attacker's DNS server would before it changes the address. */
const resolve: Resolve = (_name, _options, callback) =>
  callback(null, [{ address: '93.184.215.14', family: 4 }])

describe.skipIf(why)(
  `a name that resolves to this machine after its check${why ? ` (skipped: ${why})` : ''}`,
  () => {
    const ask = async (networks: readonly string[]) => {
      const settings = {
        ...settingsOf(database.table),
        DNS_RESOLVER_URL: await resolverOf(resolve, resolverHost),
        RATE_LIMITS: 'off',
      }
      const worker = await startOf('summarizer-pages', settings, networks)
      try {
        const answer = await fetch(`${worker.url}/api/summarize`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ url: `http://${name}/` }),
        })
        return { status: answer.status, body: (await answer.json()) as { title?: string } }
      } finally {
        await worker.close()
      }
    }

    it('the summarizer is not connected if workerd may reach only the internet', async () => {
      const { status } = await ask(['public', `${resolverHost}/32`, `${tableHost}/32`])
      expect([status, connections]).toEqual([500, 0])
    })

    it('the address is rejected only by that network: the test connects if it may reach this machine', async () => {
      const { status, body } = await ask(['public', 'private'])
      expect([status, body.title, connections]).toEqual([200, 'Inside', 1])
    })
  },
)
