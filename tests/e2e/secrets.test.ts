import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import {
  agentOf,
  asInternal,
  call,
  chat,
  lifecycle,
  newSubscriber,
  platformSecrets,
  runningAgent,
  secretsOf,
  signIn,
  stack,
  untilStatus,
} from '../support/stack/platform.ts'
import { processesOf } from '../support/stack/processes.ts'

/** Returns all secrets that the agent's container received at its start. */
async function givenTo(agentId: string): Promise<Record<string, string>> {
  const [container] = processesOf(stack().dataDir, agentId)
  if (container === undefined) throw new Error('the agent has no process')
  const secrets = await secretsOf(container)
  expect(secrets.GATEWAY_TOKEN).toMatch(/^[\w-]{43}$/)
  expect(secrets.AI_API_KEY).toMatch(/^ak_[0-9a-f]{64}\.agt_[0-9a-z]{26}\.usr_[0-9a-z]{26}$/)
  return secrets
}

/** Returns the stack's files that contain one of the texts. */
async function filesWith(texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(stack().dataDir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name)
    // Other tests may remove files in the meantime.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    if (texts.some((text) => bytes.includes(text))) found.push(path)
  }
  return found
}

it('no secret is logged by any route', async () => {
  const subscriber = await newSubscriber()
  const user = { ...subscriber, session: await signIn(subscriber.email, subscriber.password) }
  const id = await runningAgent(user)
  const first = await givenTo(id)
  expect((await chat(user, { message: 'a-private-thought', agentId: id })).status).toBe(200)
  await lifecycle(user, id, 'restart')
  await eventually(() => expect(processesOf(stack().dataDir, id)[0]?.generation).toBe(2))
  await untilStatus(user, id, 'running')
  const second = await givenTo(id)
  const systemPrompt = 'a-private-instruction'
  const token = user.session.cookie.split('.')[1] ?? ''

  // Failed requests log more than others.
  const { web, backend, internalKey } = stack()
  const wrongPassword = 'a-wrong-password-of-somebody'
  const wrongKey = 'a-wrong-key-of-somebody'
  await call(`${web}/api/auth/login`, { body: { email: user.email, password: wrongPassword } })
  await call(`${web}/api/register`, { body: { email: user.email, password: user.password } })
  await call(`${web}/api/settings?token=a-secret-in-a-query`, { headers: user.session })
  await call(`${backend}/api/agents`, { headers: { authorization: `Bearer ${wrongKey}` } })
  await call(`${backend}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${second.AI_API_KEY}` },
    body: { messages: 'a-private-mistake' },
  })
  await call(`${backend}/api/agents/${id}`, {
    method: 'PUT',
    headers: asInternal(user.id),
    body: { config: { systemPrompt, telegramToken: 'a-channel-token' } },
  })
  const marker = `marker-${id}`
  await call(`${web}/api/chat/${marker}`)

  const log = await eventually(async () => {
    const text = await readFile(stack().logFile, 'utf8')
    expect(text).toContain(marker)
    return text
  })
  expect(log).toContain(id)
  const secrets = {
    ...first,
    secondKey: second.AI_API_KEY,
    internalKey,
    encryptionKey: (await platformSecrets()).WALLET_ENCRYPTION_KEY,
    password: user.password,
    token,
    wrongPassword,
    wrongKey,
    systemPrompt,
    channelToken: 'a-channel-token',
    query: 'a-secret-in-a-query',
    thought: 'a-private-thought',
    mistake: 'a-private-mistake',
    webhook: stack().receiver,
  }
  const leaked = Object.entries(secrets).filter(([, secret]) => secret && log.includes(secret))
  expect(leaked.map(([name]) => name)).toEqual([])

  // Responses do not contain the container's secrets either.
  const shown = JSON.stringify([
    await agentOf(user, id),
    (await call(`${backend}/api/agents/${id}`, { headers: asInternal(user.id) })).body,
  ])
  for (const secret of [...Object.values(first), ...Object.values(second), systemPrompt])
    expect(shown).not.toContain(secret)
})

it('a container’s secrets are in no file, variable or queue, at any time', async () => {
  const user = await newSubscriber()
  const id = await runningAgent(user)
  const credential = 'a-credential-of-hers-and-of-hers-alone'
  const discordBotToken = 'token-of-a-bot-that-is-hers-and-hers-alone'
  const { web, backend, dataDir } = stack()
  const headers = user.session
  const act = { action: 'set-credential', agentId: id, key: 'GITHUB_TOKEN', value: credential }
  expect((await call(`${web}/api/agent`, { headers, body: act })).status).toBe(200)
  const config = { method: 'PUT', headers, body: { config: { discordBotToken } } }
  expect((await call(`${web}/api/agents/${id}/config`, config)).status).toBe(200)
  await eventually(() => expect(processesOf(dataDir, id)[0]?.generation).toBe(2))
  await untilStatus(user, id, 'running')
  // Its answer proves that it has both the token of the requests to it and the key of its own requests.
  expect((await chat(user, { message: 'Hello?', agentId: id })).status).toBe(200)

  const [container] = processesOf(dataDir, id)
  const secrets = [...Object.values(await givenTo(id)), credential, discordBotToken]
  const environment = Object.values(container?.environment ?? {}).join('\n')
  for (const secret of secrets) expect(environment).not.toContain(secret)
  expect(await filesWith(secrets)).toEqual([])
  // Proves that the search includes the engines' own files.
  expect(await filesWith([id])).not.toEqual([])

  // Its bootstrap token has been used, so a thief gains no access with it.
  const { AGENT_BOOTSTRAP_TOKEN, AGENT_BOOTSTRAP_URL = '' } = container?.environment ?? {}
  const ask = () =>
    call(AGENT_BOOTSTRAP_URL, {
      headers: { authorization: `Bearer ${AGENT_BOOTSTRAP_TOKEN}` },
      body: { agentId: id, generation: 2, nonce: 'n'.repeat(43) },
    })
  expect(await ask()).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })

  const deletion = { method: 'DELETE', headers: asInternal(user.id) }
  expect((await call(`${backend}/api/agents/${id}`, deletion)).status).toBe(200)
  await eventually(() => expect(processesOf(dataDir, id)).toEqual([]))
  expect(await filesWith(secrets)).toEqual([])
  expect((await ask()).status).toBe(401)
})
