import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { processesOf } from '../support/processes.ts'
import {
  agentOf,
  asInternal,
  call,
  chat,
  lifecycle,
  newSubscriber,
  runningAgent,
  stack,
  untilStatus,
} from '../support/platform.ts'

/** Everything secret that a container is given. */
function secretsOf(agentId: string): Record<string, string> {
  const [container] = processesOf(stack().dataDir, agentId)
  const { GATEWAY_TOKEN = '', AI_API_KEY = '' } = container?.environment ?? {}
  expect(GATEWAY_TOKEN).toMatch(/^[\w-]{43}$/)
  expect(AI_API_KEY).toMatch(/^ak_[0-9a-f]{64}\.agt_[0-9a-z]{26}\.usr_[0-9a-z]{26}$/)
  return { GATEWAY_TOKEN, AI_API_KEY }
}

const platformSecrets = async () =>
  JSON.parse(await readFile(join(stack().dataDir, 'secrets.json'), 'utf8')) as {
    WALLET_ENCRYPTION_KEY: string
  }

it('nothing secret reaches the log, whatever is done with it', async () => {
  const user = await newSubscriber()
  const id = await runningAgent(user)
  const first = secretsOf(id)
  expect((await chat(user, { message: 'a-private-thought', agentId: id })).status).toBe(200)
  await lifecycle(user, id, 'restart')
  await eventually(() => expect(processesOf(stack().dataDir, id)[0]?.generation).toBe(2))
  await untilStatus(user, id, 'running')
  const second = secretsOf(id)
  const systemPrompt = 'a-private-instruction'
  const token = user.session.cookie.split('.')[1] ?? ''

  // Requests that go wrong are logged with more than others.
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

  // Nor does an answer carry what only containers hold.
  const shown = JSON.stringify([
    await agentOf(user, id),
    (await call(`${backend}/api/agents/${id}`, { headers: asInternal(user.id) })).body,
  ])
  for (const secret of [...Object.values(first), ...Object.values(second), systemPrompt])
    expect(shown).not.toContain(secret)
})
