import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { directBytes } from '#shared/agents/files/read.ts'
import { type FilesOwner, type FilesWorld, startFiles } from '#tests/support/agents/files.ts'

let world: FilesWorld
let ada: FilesOwner

const minute = 60_000

beforeAll(async () => {
  world = await startFiles()
})
beforeEach(async () => {
  ada = await world.newOwner()
  world.sent.length = 0
})
afterAll(() => world.close())

interface Link {
  url: string
  headers: Record<string, string>
}

const send = ({ url, headers }: Link, body: string | Uint8Array<ArrayBuffer>) =>
  fetch(url, { method: 'PUT', headers, body })

async function linkTo(path: string, size: number): Promise<Link> {
  const { status, body } = await ada.upload(path, size)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body as unknown as Link
}

describe('an upload by a link', () => {
  it('is listed after the notification of the bucket, and read by a link', async () => {
    const before = Date.now()
    const { body } = await ada.upload('videos/large.bin', directBytes + 10)
    expect(body).toMatchObject({ method: 'PUT', headers: { 'if-none-match': '*' } })
    const left = Date.parse(String(body.expiresAt)) - before
    expect(Math.abs(left - 15 * minute)).toBeLessThan(30_000)
    const bytes = new Uint8Array(directBytes + 10).fill(9)
    expect((await send(body as unknown as Link, bytes)).status).toBe(200)
    expect((await ada.get('videos/large.bin')).status).toBe(404)
    await world.work()
    const listed = (await ada.list({ path: 'videos' })).body.entries
    expect(listed).toMatchObject([{ name: 'large.bin', size: directBytes + 10 }])
    const answer = await ada.get('videos/large.bin')
    expect(answer.status).toBe(307)
    const location = answer.headers.get('location') ?? ''
    const whole = await fetch(location)
    expect(whole.headers.get('content-disposition')).toContain('large.bin')
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await fetch(location, { headers: { range: 'bytes=0-2' } })
    expect([part.status, await part.text()]).toEqual([206, '\t\t\t'])
    expect((await ada.storage()).usedBytes).toBe(directBytes + 10)
  })

  it('a small or empty file that is uploaded by a link is read directly', async () => {
    await send(await linkTo('small', 5), 'small')
    await send(await linkTo('empty', 0), '')
    await world.work()
    expect([await ada.text('small'), await ada.text('empty')]).toEqual(['small', ''])
  })

  it('is committed once by repeated and late notifications', async () => {
    await send(await linkTo('once', 4), 'once')
    const [notification] = world.sent
    await Promise.all([world.work(), world.work()])
    expect(await ada.text('once')).toBe('once')
    await ada.move('once', 'moved')
    world.sent.push(...(notification ? [notification, notification] : []))
    await world.work()
    expect((await ada.get('once')).status).toBe(404)
    expect(await ada.text('moved')).toBe('once')
    expect((await ada.storage()).usedBytes).toBe(4)
  })

  it('an upload whose notification was lost is found by the tick', async () => {
    await send(await linkTo('found', 5), 'found')
    world.sent.length = 0
    await world.tick()
    await world.work()
    expect((await ada.get('found')).status).toBe(404)
    await world.tick(Date.now() + 16 * minute)
    await world.work()
    expect(await ada.text('found')).toBe('found')
  })

  it('replaces a file, and is refused if a folder has its name by then', async () => {
    await ada.put('replaced', 'before')
    await send(await linkTo('replaced', 5), 'after')
    await world.work()
    expect(await ada.text('replaced')).toBe('after')
    const link = await linkTo('becomes-a-folder', 1)
    await ada.put('becomes-a-folder/x', 'x')
    await send(link, 'x')
    await world.work()
    expect((await ada.list({ path: 'becomes-a-folder' })).body.entries).toHaveLength(1)
    expect(
      (await world.objects(ada.agentId)).filter((key) => key.endsWith('.upload')),
    ).toHaveLength(1)
    expect((await ada.storage()).usedBytes).toBe(6)
  })

  it.each([-1, 1.5, '1', null, 5 * 1024 ** 3 + 1, Number.MAX_SAFE_INTEGER])(
    'a link for an upload of the size %j returns 400',
    async (size) => expect((await ada.upload('x', size)).status).toBe(400),
  )

  it('a link for an upload of 5 GB is created, unless a folder or a file is in the way', async () => {
    await ada.put('folder/file', 'x')
    expect((await ada.upload('folder', 1)).status).toBe(409)
    expect((await ada.upload('folder/file/below', 1)).status).toBe(409)
    await world.set(ada.id, { plan: 'network' })
    expect((await ada.upload('x', 5 * 1024 ** 3)).status).toBe(200)
  })
})

describe('a reservation', () => {
  beforeEach(() => world.limitStorage(ada.id, 100))

  it('counts until the link is used, and the used link counts once', async () => {
    const link = await linkTo('a', 60)
    expect((await ada.put('b', 'x'.repeat(41))).status).toBe(402)
    expect((await ada.upload('b', 41)).status).toBe(402)
    expect(await ada.storage()).toMatchObject({ usedBytes: 0 })
    await send(link, 'x'.repeat(60))
    await world.work()
    expect((await ada.put('b', 'x'.repeat(41))).status).toBe(402)
    expect((await ada.put('b', 'x'.repeat(40))).status).toBe(200)
  })

  it('lets exactly one of twenty links of 60 % pass', async () => {
    const links = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ada.upload(`file-${i}`, 60)),
    )
    const statuses = links.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 402)).toHaveLength(19)
  })

  it('is free when the link has expired', async () => {
    await linkTo('a', 100)
    expect((await ada.put('b', 'x')).status).toBe(402)
    await world.laterBy(16 * minute)
    expect((await ada.put('b', 'x')).status).toBe(200)
  })

  it('is replaced by the one of a later link to the same path', async () => {
    for (let n = 0; n < 3; n++) await linkTo('a', 60)
    expect((await ada.put('b', 'x'.repeat(41))).status).toBe(402)
    expect((await ada.put('b', 'x'.repeat(40))).status).toBe(200)
    expect((await ada.upload('c', 1)).status).toBe(402)
    await linkTo('a', 10)
    await linkTo('c', 50)
    await world.laterBy(16 * minute)
    expect((await ada.put('d', 'x'.repeat(60))).status).toBe(200)
    expect((await ada.put('e', 'x')).status).toBe(402)
  })

  it('a reservation of concurrent links to the same path counts once', async () => {
    const links = await Promise.all(Array.from({ length: 10 }, () => ada.upload('a', 60)))
    expect(links.some(({ status }) => status === 200)).toBe(true)
    expect((await ada.put('b', 'x'.repeat(41))).status).toBe(402)
    expect((await ada.put('b', 'x'.repeat(40))).status).toBe(200)
    await world.laterBy(16 * minute)
    expect((await ada.put('c', 'x'.repeat(60))).status).toBe(200)
    expect((await ada.put('d', 'x')).status).toBe(402)
  })

  it('is free for a later link even if the earlier one is used first, and each upload counts once', async () => {
    const earlier = await linkTo('a', 60)
    const later = await linkTo('a', 50)
    await send(earlier, 'x'.repeat(60))
    await world.work()
    // Its own reservation is gone, and 60 more than the 50 reserved bytes do not fit.
    expect((await ada.get('a')).status).toBe(404)
    await send(later, 'y'.repeat(50))
    await world.work()
    expect(await ada.text('a')).toBe('y'.repeat(50))
    expect((await ada.put('b', 'x'.repeat(50))).status).toBe(200)
    expect((await ada.put('c', 'x')).status).toBe(402)
  })

  it('a reservation of a large upload that ends after the expiry is committed only if there is room', async () => {
    for (const [path, fits] of [
      ['late-one', true],
      ['late-two', false],
    ] as const) {
      const link = await linkTo(path, 60)
      await world.laterBy(16 * minute)
      if (!fits) await ada.put('b', 'x'.repeat(90))
      await send(link, 'x'.repeat(60))
      await world.work()
      expect((await ada.get(path)).status).toBe(fits ? 200 : 404)
      await ada.delete(path)
    }
    expect(
      (await world.objects(ada.agentId)).filter((key) => key.endsWith('.upload')),
    ).toHaveLength(1)
    expect((await ada.storage()).usedBytes).toBe(90)
  })
})

describe('a link', () => {
  it('a link that is used after the deletion of its agent stores nothing that stays', async () => {
    const link = await linkTo('late', 4)
    await world.deleteAgent(ada.id, ada.agentId)
    expect((await send(link, 'late')).status).toBe(200)
    await world.work()
    expect(await world.objects(ada.agentId)).toEqual([])
    expect((await ada.list()).status).toBe(404)
    await world.limitStorage(ada.id, 0)
    expect(await ada.storage()).toMatchObject({ usedBytes: 0, agents: [] })
  })
})
