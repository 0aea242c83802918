import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { enginesOf } from '../support/stack/engines.ts'
import {
  agentOf,
  agentsOf,
  askForAgent,
  asInternal,
  call,
  lifecycle,
  newSubscriber,
  platformOf,
  newUser,
  provision,
  signUp,
  stack,
  subscribe,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'

/** Opens the verification link that was mailed to an address. */
async function verify({ email, session }: TestUser): Promise<void> {
  const outbox = join(stack().dataDir, 'outbox')
  const link = await eventually(async () => {
    const mails = await Promise.all(
      (await readdir(outbox))
        .filter((name) => name.endsWith('.json'))
        .map(async (name) => JSON.parse(await readFile(join(outbox, name), 'utf8'))),
    )
    const text = mails.find(({ to }) => to === email)?.text as string | undefined
    const token = /verify-email\?token=([^\s&]+)/.exec(text ?? '')?.[1]
    expect(token).toBeDefined()
    return `${stack().web}/api/auth/verify-email?token=${token}`
  })
  const answer = await fetch(link, { redirect: 'manual', headers: session })
  expect(answer.headers.get('location')).toMatch(/verified=1$/)
}

/** Returns the task definition of an agent; each plan has one. */
async function sizeOf(agentId: string): Promise<string> {
  return eventually(async () => {
    const [task] = await enginesOf(() => stack().endpoints).wantedTasks(agentId)
    expect(task).toBeDefined()
    return /task-definition\/([\w-]+)/.exec(task?.taskDefinitionArn ?? '')?.[1] ?? ''
  })
}

/** One user for all requests that must fail. */
let shared: Promise<TestUser> | undefined
const subscriber = () => (shared ??= newSubscriber('solo'))

const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status)

describe('provisioning', () => {
  it.each(['inactive', 'past_due', 'canceled'])(
    'requires more than a %s subscription',
    async (is) => {
      const user = await newUser()
      if (is !== 'inactive') await subscribe(user.id, 'solo', is)
      const { status, body } = await askForAgent(user)
      expect(status).toBe(402)
      expect(body).toMatchObject({ error: 'An active subscription is required' })
      expect(await agentsOf(user)).toEqual([])
    },
  )

  it('is allowed during a trial', async () => {
    const user = await newUser()
    await subscribe(user.id, 'label', 'trialing')
    expect((await askForAgent(user)).status).toBe(201)
  })

  it('ends at the limit of the plan, and the error contains current and limit', async () => {
    const user = await newSubscriber('label')
    expect((await askForAgent(user)).status).toBe(201)
    const { status, body } = await askForAgent(user)
    expect([status, body]).toEqual([429, { error: 'Agent limit reached', current: 1, limit: 1 }])
  })

  it('enforces the limit under concurrent requests', async () => {
    const user = await newSubscriber('solo')
    const answers = await Promise.all(Array.from({ length: 12 }, () => askForAgent(user)))
    expect(statusesOf(answers).toSorted()).toEqual([201, 201, 201, ...Array(9).fill(429)])
    for (const { body } of answers.filter(({ status }) => status === 429))
      expect(body).toMatchObject({ current: 3, limit: 3 })
    expect(await agentsOf(user)).toHaveLength(3)
  })

  it.each([
    ['starter', 'solo', 1],
    ['gold', 'label', 1],
  ])('provisioning with tier %s runs on %s and stops at %i', async (tier, plan, limit) => {
    const user = await newSubscriber('network')
    const { id } = await platformOf(user).agents.create({ name: 'Rhythm', tier })
    expect(await agentOf(user, id)).toMatchObject({ plan })
    expect(await sizeOf(id)).toBe(`agent-${plan}`)
    const { status, body } = await askForAgent(user, { name: 'Rhythm', tier })
    expect(status).toBe(429)
    expect(body).toMatchObject({ current: 1, limit })
    expect((await askForAgent(user, { name: 'Rhythm', tier: 'pro' })).status).toBe(201)
  })

  it('uses no tier above the plan', async () => {
    const user = await newSubscriber('label')
    expect((await askForAgent(user, { name: 'A', tier: 'enterprise' })).status).toBe(201)
    const { body } = await askForAgent(user, { name: 'B', tier: 'enterprise' })
    expect(body).toMatchObject({ current: 1, limit: 1 })
  })

  it('requires no subscription of an admin with a verified address', async () => {
    const admin = await signUp('admin@example.com')
    expect((await askForAgent(admin)).status).toBe(402)
    await verify(admin)
    const { body } = await call(`${stack().web}/api/auth/session`, { headers: admin.session })
    expect(body).toMatchObject({ user: { isAdmin: true } })
    const answers = [await askForAgent(admin), await askForAgent(admin)]
    expect(statusesOf(answers)).toEqual([201, 201])
  })

  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '  ' }, 'name'],
    ['a long name', { name: 'a'.repeat(101) }, 'name'],
    ['a name with a line break', { name: 'a\nb' }, 'name'],
    ['a name that is not a string', { name: 7 }, 'name'],
    ['an unknown model', { name: 'A', model: 'gpt-9' }, 'model'],
    ['a config that is not an object', { name: 'A', config: 'x' }, 'config'],
    ['a tier that is not a string', { name: 'A', tier: 3 }, 'tier'],
  ])('rejects %s, naming the field', async (_what, body, field) => {
    const user = await subscriber()
    const answer = await askForAgent(user, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringContaining(field) })
    expect(await agentsOf(user)).toEqual([])
  })

  it('uses a name only as a name', async () => {
    const user = await newSubscriber('label')
    const name = '../../é $(id) <b>"x"</b>'
    const id = await provision(user, name)
    await untilStatus(user, id, 'running')
    expect(await agentOf(user, id)).toMatchObject({
      name,
      subdomain: expect.stringMatching(/^e-id-b-x-b-[0-9a-z]{8}$/),
    })
  })
})

describe('a deployment', () => {
  it('starts an agent that the backend created, and waits for it', async () => {
    const user = await newSubscriber('label')
    const url = `${stack().backend}/api/agents`
    const made = await call(url, { headers: asInternal(user.id), body: { name: 'Quiet' } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ name: 'Quiet', status: 'pending' })
    const agentId = String(made.body.id)
    const deploy = () =>
      call(`${stack().backend}/api/deployments`, {
        headers: asInternal(user.id),
        body: { agentId },
      })
    const first = await deploy()
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({ id: `deploy-${agentId}`, agentId, status: 'active' })
    expect((await deploy()).status).toBe(200)
    expect((await lifecycle(user, agentId, 'stop')).body).toMatchObject({ status: 'stopped' })
  })

  it('a deployment of an agent over the limit is rejected at its creation', async () => {
    const user = await newSubscriber('label')
    const url = `${stack().backend}/api/agents`
    const make = () => call(url, { headers: asInternal(user.id), body: { name: 'Quiet' } })
    expect((await make()).status).toBe(201)
    const { status, body } = await make()
    expect(status).toBe(402)
    expect(body).toMatchObject({ code: 'AGENT_LIMIT_REACHED', current: 1, limit: 1 })
  })
})
