import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syncAll } from '#shared/agents/files/container/sync.ts'
import { pinFiles } from '#shared/agents/files/pin.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { type FilesOwner, type FilesWorld, startFiles } from '#tests/support/agents/files.ts'
import { playContainer, type PlayedContainer } from '#tests/support/agents/played-container.ts'

let world: FilesWorld
let ada: FilesOwner
let container: PlayedContainer
const played: PlayedContainer[] = []

/** Long enough for a busy machine. */
const patient = { idleMs: 60_000, totalMs: 60_000 }
const hasty = { idleMs: 300, totalMs: 300 }
const timeouts = { ...patient }

beforeAll(async () => {
  world = await startFiles({ timeouts })
})
afterEach(() => void Object.assign(timeouts, patient))
beforeEach(async () => {
  ada = await world.newOwner()
  container = await play()
  world.sent.length = 0
})
afterAll(async () => {
  await Promise.all(played.map((one) => one.close()))
  await world.close()
})

async function play(generation = 1): Promise<PlayedContainer> {
  const one = await playContainer(world, ada, generation)
  played.push(one)
  return one
}

const never = () => new Promise<number>(() => {})
const names = async (path = '') =>
  ((await ada.list({ path })).body.entries as { name: string }[]).map(({ name }) => name)

describe('files of an agent that runs', () => {
  beforeEach(() => container.start())

  it('are read as the agent wrote them just now', async () => {
    container.disk.set('notes/today', 'written')
    expect(await names('notes')).toEqual(['today'])
    container.disk.set('notes/today', 'again')
    expect(await ada.text('notes/today')).toBe('again')
    container.disk.delete('notes/today')
    expect((await ada.get('notes/today')).status).toBe(404)
    expect(container.seen).toContain('workspace/notes')
    expect(container.seen).toContain('workspace/notes/today')
  })

  it('are changed on the disk of the agent at once', async () => {
    expect((await ada.put('a', 'one')).status).toBe(200)
    expect(container.disk.get('a')).toBe('one')
    expect((await ada.put('a', 'two')).status).toBe(200)
    expect((await ada.move('a', 'b/c')).status).toBe(200)
    expect([...container.disk]).toEqual([['b/c', 'two']])
    expect((await ada.delete('b', '&recursive=true')).status).toBe(200)
    expect(container.disk.size).toBe(0)
  })

  it('are deleted and moved together with what the agent wrote into a folder just now', async () => {
    await ada.put('folder/old', 'x')
    container.disk.set('folder/deep/new', 'y')
    expect((await ada.move('folder', 'moved')).status).toBe(200)
    expect([...container.disk.keys()].sort()).toEqual(['moved/deep/new', 'moved/old'])
    container.disk.set('moved/deep/newer', 'z')
    expect((await ada.delete('moved', '&recursive=true')).status).toBe(200)
    expect(container.disk.size).toBe(0)
  })

  it('keep what the agent writes while the owner writes other files', async () => {
    container.disk.set('agent', 'mine')
    await ada.put('owner', 'yours')
    container.disk.set('agent', 'mine again')
    await container.sync()
    expect(await ada.text('agent')).toBe('mine again')
    expect(await ada.text('owner')).toBe('yours')
  })

  it('are replaced by one of two writers with the same ETag', async () => {
    const { headers } = await ada.put('page', 'first')
    const etag = headers.get('etag') ?? ''
    const both = await Promise.all([
      ada.put('page', 'one', { 'if-match': etag }),
      ada.put('page', 'two', { 'if-match': etag }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
    const winner = both[0].status === 200 ? 'one' : 'two'
    expect([await ada.text('page'), container.disk.get('page')]).toEqual([winner, winner])
  })

  it('are not replaced with the ETag of what the agent has replaced in the meantime', async () => {
    const { headers } = await ada.put('page', 'first')
    const etag = headers.get('etag') ?? ''
    container.disk.set('page', 'by the agent')
    expect((await ada.put('page', 'late', { 'if-match': etag })).status).toBe(412)
    expect((await ada.put('page', 'new', { 'if-none-match': '*' })).status).toBe(412)
    expect(await ada.text('page')).toBe('by the agent')
    // Both sides derive the same ETag from the same content.
    container.disk.set('page', 'first')
    expect((await ada.get('page')).headers.get('etag')).toBe(etag)
  })

  it('get an upload by a link within the next turn of the job', async () => {
    const { body } = await ada.upload('video', 5)
    const { url, headers } = body as { url: string; headers: Record<string, string> }
    container.disk.set('agent', 'x')
    expect((await fetch(url, { method: 'PUT', headers, body: 'bytes' })).status).toBe(200)
    await world.work()
    expect(container.disk.get('video')).toBe('bytes')
    expect(await names()).toEqual(['agent', 'video'])
  })

  it('are pinned with what the agent wrote just now', async () => {
    container.disk.set('a', '12345')
    const agent = await requireAgent(world, { agentId: ada.agentId, owner: ada.id })
    await syncAll(world.job, agent)
    const pin = { userId: ada.id, agentId: ada.agentId, pinId: 'snp_1' }
    expect(await pinFiles(world, pin)).toMatchObject({ bytes: 5, files: 1 })
  })

  it.each([
    ['has no such route', () => 404],
    ['refuses the platform', () => 401],
    ['fails', () => 500],
    ['cannot store its files', () => 503],
  ])('are the committed ones if the container %s', async (_, answer) => {
    await ada.put('a', 'one')
    container.answer(answer)
    container.disk.set('a', 'not committed')
    expect(await ada.text('a')).toBe('one')
    expect((await ada.put('b', 'two')).status).toBe(200)
    expect((await ada.delete('b')).status).toBe(200)
    container.answer(undefined)
    await container.sync()
    expect(await ada.text('a')).toBe('not committed')
  })

  it('are the committed ones if the container cannot be reached', async () => {
    await ada.put('a', 'one')
    await container.close()
    expect(await ada.text('a')).toBe('one')
    expect((await ada.put('b', 'two')).status).toBe(200)
    await container.sync()
    expect(container.disk.get('b')).toBe('two')
  })

  it('are 503 with Retry-After if the container needs too long', async () => {
    await ada.put('a', 'one')
    container.answer(never)
    Object.assign(timeouts, hasty)
    const link = await ada.upload('large', 1)
    const answers = await Promise.all([
      ada.get('a'),
      ada.list(),
      ada.put('a', 'two'),
      ada.delete('a'),
      ada.move('a', 'b'),
    ])
    for (const { status, headers } of [link, ...answers])
      expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    const agent = await requireAgent(world, { agentId: ada.agentId, owner: ada.id })
    await syncAll(world.job, agent)
    Object.assign(timeouts, patient)
    container.answer(undefined)
    expect(await ada.text('a')).toBe('one')
  })

  it('accept uploads later if the container needs too long', async () => {
    const { body } = await ada.upload('video', 5)
    const { url, headers } = body as { url: string; headers: Record<string, string> }
    await fetch(url, { method: 'PUT', headers, body: 'bytes' })
    container.answer(never)
    Object.assign(timeouts, hasty)
    await world.work()
    Object.assign(timeouts, patient)
    expect(container.disk.size).toBe(0)
    expect(world.sent).toMatchObject([{ queue: 'file-uploads', delaySeconds: 10 }])
    container.answer(undefined)
    await world.work(Date.now() + 120_000)
    expect(container.disk.get('video')).toBe('bytes')
  })
})

describe('files of an agent that starts or stops', () => {
  it.each([
    ['starts', { status: 'provisioning' }],
    ['stops', { status: 'stopped', desired: 'stopped' }],
  ])(
    'are read and changed in the store while it %s, and its container takes the changes',
    async (_, state) => {
      await container.start()
      await ada.put('a', 'one')
      await ada.put('b', 'one')
      const asked = container.seen.length
      await container.set(state)
      container.disk.set('own', 'late')
      expect(await ada.text('a')).toBe('one')
      expect((await ada.put('a', 'two')).status).toBe(200)
      expect((await ada.delete('b')).status).toBe(200)
      expect(container.seen.length).toBe(asked)
      await container.sync()
      expect([...container.disk].sort()).toEqual([
        ['a', 'two'],
        ['own', 'late'],
      ])
      expect(await names()).toEqual(['a', 'own'])
    },
  )

  it('are the store’s after it has stopped, with its last words', async () => {
    await container.start()
    container.disk.set('last', 'words')
    await container.stop()
    expect(await ada.text('last')).toBe('words')
    expect((await ada.put('a', 'asleep')).status).toBe(200)
    const next = await play(2)
    await next.start()
    expect([...next.disk].sort()).toEqual([
      ['a', 'asleep'],
      ['last', 'words'],
    ])
  })

  it('are the store’s after a crash, and the next start has both', async () => {
    await container.start()
    container.disk.set('kept', 'x')
    await container.sync()
    container.disk.set('lost', 'y')
    await container.crash()
    expect((await ada.put('a', 'asleep')).status).toBe(200)
    const next = await play(2)
    await next.start()
    expect([...next.disk.keys()].sort()).toEqual(['a', 'kept'])
    // The container of the earlier start still runs somewhere.
    await expect(container.sync()).rejects.toMatchObject({ code: 'FILES_HELD' })
    expect(await names()).toEqual(['a', 'kept'])
  })

  it('are changed in the store if an own image starts after a container that held them', async () => {
    await container.start()
    await ada.put('a', 'one')
    await container.crash()
    await container.set({ generation: 2, taskArn: 'task-2', taskStatus: 'RUNNING' })
    await container.set({ status: 'running', desired: 'running' })
    expect((await ada.put('a', 'two')).status).toBe(200)
    expect(await ada.text('a')).toBe('two')
  })
})

describe('twenty uploads at once of 60 % of the storage each', () => {
  it.each(['asleep', 'awake'])('leave one of them while the agent is %s', async (state) => {
    await world.limitStorage(ada.id, 100)
    if (state === 'awake') await container.start()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ada.put(`file-${i}`, 'x'.repeat(60))),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 402)])
    expect(await names()).toHaveLength(1)
    expect(await ada.storage()).toMatchObject({ usedBytes: 60 })
    if (state === 'awake') expect([...container.disk.keys()]).toEqual(await names())
  })
})
