import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'

const started = new WeakMap<Resolve, Promise<string>>()

/**
 * Starts a DNS-over-HTTPS resolver with the answers of a function in the form of Node's lookup.
 * @returns its address. The function is called once for each look-up: A and AAAA share an answer.
 */
export function resolverOf(resolve: Resolve, host = '127.0.0.1'): Promise<string> {
  const known = started.get(resolve) ?? start(resolve, host)
  started.set(resolve, known)
  return known
}

async function start(resolve: Resolve, host: string): Promise<string> {
  const asked = new Map<string, Promise<object>>()
  const server = createServer(async ({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://resolver')
    const name = searchParams.get('name') ?? ''
    const first = asked.get(name)
    const answer = first ?? lookUp(resolve, name)
    // The A and the AAAA query arrive together; a later query is a new look-up.
    if (first === undefined) asked.set(name, answer)
    else asked.delete(name)
    response.setHeader('content-type', 'application/dns-json').end(JSON.stringify(await answer))
  })
  await once(server.listen(0, host), 'listening')
  server.unref()
  return `http://${host}:${(server.address() as AddressInfo).port}/dns-query`
}

function lookUp(resolve: Resolve, name: string): Promise<object> {
  return new Promise((answered) => {
    resolve(name, { all: true }, (error, addresses) =>
      answered(
        error === null
          ? {
              Status: 0,
              Answer: addresses.map(({ address, family }) => ({
                name,
                type: family === 6 ? 28 : 1,
                data: address,
              })),
            }
          : { Status: 3 },
      ),
    )
  })
}
