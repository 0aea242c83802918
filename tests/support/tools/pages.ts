import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { articleRoutes } from '#functions/summarizer/article-routes.ts'
import type { Sell } from '#functions/summarizer/page-route.ts'
import { routes } from '#functions/summarizer/pages.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { type NodeSourceOptions, pageSource } from '#shared/tools/pages/node/source.ts'
import { onCarrier } from '../http/carrier.ts'
import { resolverOf } from '../http/resolver.ts'
import { settingsOf, startTestTable, type TestTable } from '../platform/table.ts'

export interface Site {
  origin: string
  /** host:port, in the form of FETCH_ALLOW_HOSTS. */
  host: string
  /** Returns the number of connections so far. */
  connections(): number
  close(): Promise<void>
}

let slots: Promise<TestTable> | undefined

/** The table of the workers' open requests. It ends with the test process. */
const slotsTable = () => (slots ??= startTestTable())

/** Starts a web server of pages on a port of its own. */
export async function startSite(answer: RequestListener): Promise<Site> {
  let connections = 0
  const server = createServer(answer).on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${host}`,
    host,
    connections: () => connections,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export interface PageAnswerBody extends Record<string, unknown> {
  error?: string
}

/**
 * Calls the summarizer's routes as its callers do. On workerd, `/api/read` does not exist.
 * @param options how it fetches pages, and how it sells them
 */
export function pagesCaller({ sell, ...options }: NodeSourceOptions & { sell?: Sell }) {
  const app = onCarrier(
    'summarizer-pages',
    async () => ({
      ...settingsOf((await slotsTable()).table),
      FETCH_ALLOW_HOSTS: options.allowed.join(','),
      RATE_LIMITS: 'off',
      DNS_RESOLVER_URL: options.resolve && (await resolverOf(options.resolve)),
    }),
    () =>
      createApp({
        surface: 'summarizer',
        name: 'pages',
        routes: [...routes, ...articleRoutes],
        services: { pages: pageSource(options), ...(sell && { sell }) },
        settings: loadConfig({}),
      }),
  )
  return async (
    path: '/api/summarize' | '/api/extract' | '/api/read',
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: PageAnswerBody; headers: Headers }> => {
    const answer = await app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const { status, headers: told } = answer
    return { status, headers: told, body: (await answer.json()) as PageAnswerBody }
  }
}
