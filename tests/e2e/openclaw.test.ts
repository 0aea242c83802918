import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Stack, startStack } from '#stacks/local/stack.ts'
import { freePorts } from '#stacks/local/testing/free-ports.ts'
import { eventually } from '../support/clock/eventually.ts'
import { clientOf, type TestUser } from '../support/http/client.ts'
import { processesOf } from '../support/stack/processes.ts'

/**
 * `OPENCLAW_TEST=1` runs OpenClaw itself, which takes 650 MB from npm, 1.3 GB of memory, and minutes. OPENCLAW_RUNTIMES
 * names the folder `runtimes` of a data directory that already has it.
 */
const wanted = process.env['OPENCLAW_TEST'] === '1'
const runtimes = process.env['OPENCLAW_RUNTIMES']

const root = join(import.meta.dirname, '../..')
const internalKey = 'internal-key-of-the-tests'
const minutes = 60_000

describe.skipIf(!wanted)('OpenClaw as the agent', () => {
  let stack: Stack
  let dataDir: string
  let user: TestUser
  let id: string
  const progress: string[] = []
  const began = performance.now()
  const { agentOf, chat, lifecycle, newSubscriber, platformOf, provision } = clientOf(() => ({
    ...stack.urls,
    internalKey,
  }))

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'platform-openclaw-'))
    if (runtimes !== undefined) await symlink(runtimes, join(dataDir, 'runtimes'))
    stack = await startStack({
      root,
      bundles: join(root, 'dist/functions'),
      environment: {
        DATA_DIR: dataDir,
        ...freePorts,
        RATE_LIMITS: 'off',
        INTERNAL_API_KEY: internalKey,
        AGENT_RUNTIME: 'openclaw',
      },
      onProgress: (what) => void progress.push(what),
    })
    tell('the stack runs')
    user = await newSubscriber()
  }, 10 * minutes)
  afterAll(async () => {
    await stack.close()
    // A removed link leaves its target in place.
    await rm(dataDir, { recursive: true, force: true })
  }, minutes)

  /** Prints figures for manual runs. */
  function tell(what: string): void {
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    process.stdout.write(`openclaw: ${what} after ${seconds} s\n`)
  }

  const running = () =>
    eventually(
      async () => expect(await agentOf(user, id)).toMatchObject({ status: 'running' }),
      4 * minutes,
    )

  async function say(message: string): Promise<string> {
    const { status, body } = await chat(user, { message, agentId: id })
    expect(status).toBe(200)
    return String(body.reply)
  }

  it('is installed, with its progress shown', async () => {
    expect(await readdir(join(dataDir, 'runtimes'))).toContain('openclaw-2026.9.6')
    if (runtimes === undefined) expect(progress.join('\n')).toMatch(/2026\.9\.6 is installed/)
  })

  it('is provisioned and becomes ready', { timeout: 5 * minutes }, async () => {
    id = await provision(user, 'Ada')
    await running()
    tell('the agent runs')
    const health = await platformOf(user).agents.ask({ action: 'health', agentId: id })
    expect(health).toMatchObject({ healthy: true, failing: [] })
  })

  it('answers in a stream, by the platform’s model', { timeout: 2 * minutes }, async () => {
    const answer = await fetch(`${stack.urls.web}/api/chat`, {
      method: 'POST',
      headers: { ...user.session, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'My dog is Rex.', agentId: id, stream: true }),
    })
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    let events = 0
    let text = ''
    for await (const chunk of answer.body ?? []) {
      events += 1
      text += Buffer.from(chunk).toString('utf8')
    }
    tell('the first answer is whole')
    const messages = [...text.matchAll(/^data: (\{"content".*\})$/gm)].map(
      ([, data = '{}']) => (JSON.parse(data) as { content: string }).content,
    )
    expect(messages.join('')).toContain('stand-in model')
    expect(messages.join('')).toContain('My dog is Rex.')
    expect(events).toBeGreaterThan(1)
    expect(await say('And my cat is Tom.')).toContain('Tom')
    tell('the second answer is whole')
  })

  it('returns its figures', async () => {
    const stats = await platformOf(user).agents.stats(id)
    expect(stats).toMatchObject({ status: 'running', messagesProcessed: 2 })
    expect(stats.memory).toBeGreaterThan(300e6)
    process.stdout.write(`openclaw: ${JSON.stringify(stats)}\n`)
  })

  it('remembers the conversation after a restart', { timeout: 5 * minutes }, async () => {
    expect((await lifecycle(user, id, 'restart')).status).toBe(200)
    await eventually(
      () => expect(processesOf(dataDir, id).map(({ generation }) => generation)).toContain(2),
      minutes,
    )
    await running()
    tell('the agent runs again')
    const { agents } = platformOf(user)
    const listed = await agents.ask({ action: 'sessions', agentId: id })
    const [{ sessionId } = { sessionId: '' }] = 'sessions' in listed ? listed.sessions : []
    const roles = ['user', 'assistant', 'user', 'assistant']
    const messages = roles.map((role) => expect.objectContaining({ role }))
    messages[0] = { role: 'user', content: expect.stringContaining('My dog is Rex.') }
    const session = await agents.ask({ action: 'session', agentId: id, sessionId })
    expect(session).toMatchObject({ messages })
    expect(await say('Who is Rex?')).toContain('Who is Rex?')
  })

  it(
    'remembers the conversation on another host, whose disk is empty',
    { timeout: 6 * minutes },
    async () => {
      expect((await lifecycle(user, id, 'stop')).status).toBe(200)
      await eventually(() => expect(processesOf(dataDir, id)).toEqual([]), 2 * minutes)
      const { files } = platformOf(user).agents
      await files.put(id, 'while-stopped.md', new TextEncoder().encode('Hello'))
      const volume = join(dataDir, 'containers/volumes', id)
      await rm(volume, { recursive: true })
      expect((await lifecycle(user, id, 'start')).status).toBe(200)
      await running()
      tell('the agent runs with restored files')
      expect(await readFile(join(volume, 'workspace/while-stopped.md'), 'utf8')).toBe('Hello')
      const listed = await platformOf(user).agents.ask({ action: 'sessions', agentId: id })
      const [{ sessionId } = { sessionId: '' }] = 'sessions' in listed ? listed.sessions : []
      const session = await platformOf(user).agents.ask({
        action: 'session',
        agentId: id,
        sessionId,
      })
      expect(JSON.stringify(session)).toContain('My dog is Rex.')
      expect(await say('Who is Rex now?')).toContain('Who is Rex now?')
    },
  )

  it('stops, and leaves no process', { timeout: minutes }, async () => {
    expect((await lifecycle(user, id, 'stop')).status).toBe(200)
    await eventually(
      async () => expect(await agentOf(user, id)).toMatchObject({ status: 'stopped' }),
      minutes,
    )
    await eventually(() => expect(processesOf(dataDir, id)).toEqual([]), minutes)
    tell('the agent is stopped')
  })
})
