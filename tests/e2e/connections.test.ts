import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startBrowser } from '../support/accounts/browser.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { agentProcesses } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { callTool, startToolModel } from '../support/stack/tool-model.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
  startProtectedServer,
} from '../support/tools/sign-in-server.ts'

const model = await startToolModel()

let signIn: AuthorizationServer
let server: Awaited<ReturnType<typeof startProtectedServer>>
let stack: OwnStack
let owner: TestUser
let agentId: string

const web = (path: string, body?: unknown, method?: string) =>
  call(`${stack.now().web}/api/agents/${agentId}${path}`, {
    headers: owner.session,
    body,
    ...(method !== undefined && { method }),
  })

beforeAll(async () => {
  signIn = await startAuthorizationServer()
  server = await startProtectedServer(signIn)
  stack = await startOwnStack({
    AI_BASE_URL: model.baseUrl,
    AI_API_KEY: 'key-of-the-model',
    FETCH_ALLOW_HOSTS: `${server.host},${signIn.host}`,
    NODE_EXTRA_CA_CERTS: server.certFile,
  })
  owner = await stack.newSubscriber()
  agentId = await stack.runningAgent(owner)
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await server?.close()
  await signIn?.close()
  await model[Symbol.asyncDispose]()
})

/** Returns the files below the platform’s folder that contain one of the texts. */
async function filesWith(texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(stack.dataDir, { recursive: true, withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name)
        const bytes = await readFile(path).catch(() => Buffer.alloc(0))
        return texts.some((text) => bytes.includes(text)) ? [path] : []
      }),
  )
  return found.flat()
}

it('an agent uses a tool of an OAuth-protected MCP server, and never holds a token', async () => {
  const { body: created } = await web('/connections', { name: 'notes', url: server.url })
  const asked = new URL(String(created.authorizeUrl))
  const { origin } = new URL(String(asked.searchParams.get('redirect_uri')))
  const browser = startBrowser(origin, (request) => fetch(request, { redirect: 'manual' }))
  const [, name = '', session = ''] = /^([^=]+)=([^;]+)/.exec(owner.session.cookie) ?? []
  browser.setCookie(name, session)
  await signIn.signIn(browser, asked.href)
  const allowed = await web('/connections/notes', { tools: { allow: ['read'] } }, 'PATCH')
  expect(allowed.body).toMatchObject({ state: 'connected' })

  server.played.tools['read']!.call = (_input, request) =>
    `the tide is low; you came with ${request.headers.get('authorization')}`
  const result = await callTool({ stack, owner, agentId, model }, 'notes__read', {})
  const token = String(server.tokens.at(-1))
  expect(result).toEqual({ result: expect.stringMatching(/^the tide is low; .*Bearer \*+$/) })

  const container = agentProcesses(stack.dataDir).find((one) => one.agentId === agentId)
  const environment = await readFile(`/proc/${container?.pid}/environ`, 'utf8')
  expect(environment).toContain(agentId)
  const { body: logs } = await web('/logs')
  for (const shown of [
    environment,
    JSON.stringify([logs, result, model.lastCall, (await web('/connections')).body]),
  ])
    expect(shown).not.toContain(token)
  expect(await filesWith([token])).toEqual([])
  expect(await filesWith([agentId])).not.toEqual([])
  expect((await web('/connection-requests')).body.requests).toMatchObject([
    { connection: 'notes', tool: 'read', decision: 'allow', status: 200 },
  ])
})
