import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Keys, startKeys } from '../accounts/keys.ts'
import { startTlsServer } from '../http/tls-server.ts'
import { agentWithKey, brokerOver, trust } from './broker.ts'

/**
 * Provides a host whose responses the tests choose, and an agent with a credential for it: one host for a file of
 * tests, one user for each test.
 */
export function useBrokerScene(value: string) {
  let users = 0
  let server: Awaited<ReturnType<typeof startTlsServer>>
  const scene = {
    accounts: undefined as unknown as Keys,
    broker: undefined as unknown as ReturnType<typeof brokerOver>,
    /** Host and port. */
    host: '',
    user: { id: '', session: '' },
    agent: undefined as unknown as Awaited<ReturnType<typeof agentWithKey>>,
    /** The requests that the host received. */
    seen: [] as IncomingMessage[],
    answer: (_request: IncomingMessage, response: ServerResponse): unknown => response.end('here'),
    ask: (path: string, init?: RequestInit) => scene.broker.ask(scene.agent.key, path, init),
    requests: () => scene.broker.requests(scene.user.session, scene.agent.agentId),
  }
  const { answer } = scene
  beforeAll(async () => {
    scene.accounts = await startKeys()
    server = await startTlsServer((request, response) => {
      scene.seen.push(request)
      scene.answer(request, response)
    })
    trust(server.cert)
    scene.host = `localhost:${server.port}`
    scene.broker = brokerOver(scene.accounts.table, { allowed: [scene.host] })
  })
  afterAll(async () => {
    await server.close()
    await scene.accounts.close()
  })
  beforeEach(async () => {
    const { accounts, broker, host } = scene
    Object.assign(scene, { seen: [], answer })
    scene.user = await accounts.signUp(`ada${users++}@b.co`)
    scene.agent = await agentWithKey(accounts.table, scene.user.id)
    await broker.keep(scene.user.session, scene.agent.agentId, { hosts: [host], value })
  })
  return scene
}
