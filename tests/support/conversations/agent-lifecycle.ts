import { afterAll, beforeAll } from 'vitest'
import { routes as runtimeRoutes } from '#functions/backend/runtime.ts'
import { routes as lifecycleRoutes } from '#functions/web/agent-lifecycle.ts'
import { routes as agentRoutes } from '#functions/web/agents.ts'
import { sessionIdentity } from '#shared/accounts/users/identity.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newId } from '#shared/platform/ids.ts'
import { GatewayProcess, Home } from '../../../agent/gateway/testing/gateway.ts'
import { say, Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { startAccounts } from '../accounts/accounts.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { unhurried } from '../clock/time.ts'
import { compileCache } from '../platform/compile-cache.ts'
import { chatCaller, encryptionKey } from './chat.ts'

const internalKey = 'the-internal-key'

/** Starts two users, a real agent of the first user, and the routes of both surfaces that report on it. */
async function startLifecycle() {
  unhurried()
  const accounts = await startAccounts()
  const { table } = accounts
  const [ada, eve] = [await accounts.signUp('ada@b.co'), await accounts.signUp('eve@b.co')]
  const home = await Home.make()
  /** The model provider of the agent. */
  const models = await Upstream.start()
  models.reply = (response) => say(response, 'Fine, thanks.')
  const id = newId('agt')
  const token = await gatewayToken(encryptionKey, id, 1)
  const gateway = await GatewayProcess.start(
    home.environment(models.baseUrl, { GATEWAY_TOKEN: token, ...compileCache }),
  )
  const address = { host: '127.0.0.1', port: Number(new URL(gateway.url).port) }
  const agent = await putAgent(table, ada.id, { id, address, image: 'agent:2.1' })

  const unused = () => Promise.reject(new Error('read-only routes send no messages'))
  const queues = { send: unused, sendAll: unused }
  const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })
  const web = createApp<never>({
    surface: 'web',
    name: 'web-agent-lifecycle',
    routes: [...lifecycleRoutes, ...agentRoutes],
    services: { table, queues, config } as never,
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: 'off' },
    identity: { session: sessionIdentity(table, []) },
    table,
  })
  const backend = createApp({
    surface: 'backend',
    name: 'backend-runtime',
    routes: runtimeRoutes,
    services: { table, image: 'registry.example/agent:2.2', encryptionKey },
    settings: { INTERNAL_API_KEY: internalKey, RATE_LIMITS: 'off' },
    table,
  })
  const chat = chatCaller(table)
  const read = async (answer: Response) => ({
    status: answer.status,
    body: (await answer.json()) as Record<string, unknown>,
  })

  return {
    table,
    ada,
    eve,
    models,
    agent,

    /** Sends a request to the web surface; default: as the first user. */
    get: async (path: string, session = ada.session) =>
      read(await web.request(path, { headers: { cookie: `service-session=${session}` } })),

    /** Sends a request to the backend with the internal key, with or without a user. */
    async internal(path: string, userId?: string) {
      const headers = {
        authorization: `Bearer ${internalKey}`,
        ...(userId !== undefined && { 'x-user-id': userId }),
      }
      return read(await backend.request(path, { headers }))
    },

    /** Sends a request to the backend without a key. */
    anonymous: async (path: string) => read(await backend.request(path, {})),

    /** Runs one turn with the agent to its end. */
    async say(message: string): Promise<void> {
      const body = { message, agentId: agent.id }
      await (await chat('POST', '/api/chat', { body, session: ada.session })).json()
    },

    async close(): Promise<void> {
      await gateway[Symbol.asyncDispose]()
      await models[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await accounts.close()
    },
  }
}

type Instances = Awaited<ReturnType<typeof startLifecycle>>

/** Starts them before the tests of a file, and ends them afterwards. */
export function useLifecycle() {
  const on = {} as Instances
  beforeAll(async () => void Object.assign(on, await startLifecycle()))
  afterAll(() => on.close())
  return on
}
