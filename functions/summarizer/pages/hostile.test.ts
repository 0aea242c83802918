import type { ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { pagesCaller, type Site, startSite } from '#tests/support/tools/pages.ts'

const megabyte = 1_048_576
const limit = 5 * megabyte

let site: Site
/** The site's behavior after it has sent the headers. */
let behave: (response: ServerResponse) => void
let headers: Record<string, string>
/** The number of body bytes that the site has written. */
let written: number
let gone: PromiseWithResolvers<void>
let reached: PromiseWithResolvers<void>
let call: ReturnType<typeof pagesCaller>

beforeAll(async () => {
  site = await startSite((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers })
    response.once('close', () => gone.resolve())
    behave(response)
    reached.resolve()
  })
  call = pagesCaller({ allowed: [site.host] })
})
afterAll(() => site.close())

async function read(behaviour: typeof behave, more: typeof headers = {}) {
  behave = behaviour
  headers = more
  written = 0
  gone = Promise.withResolvers()
  reached = Promise.withResolvers()
  return call('/api/summarize', { url: site.origin })
}

/** Writes as long as the reader accepts data. */
function endlessly(chunk: Buffer): typeof behave {
  return (response) => {
    const write = () => {
      do written += chunk.length
      while (response.write(chunk))
    }
    response.on('drain', write)
    write()
  }
}

const html = (body: string) => read((response) => response.end(body))

describe('a page that is too long', () => {
  it('is read up to the limit, and rejected at the next byte', async () => {
    const body = `<title>T</title>${' '.repeat(limit)}`
    expect((await html(body.slice(0, limit))).body.title).toBe('T')
    const { status, body: answer } = await html(body.slice(0, limit + 1))
    expect([status, answer.error]).toEqual([500, expect.stringContaining('5242880')])
  })

  it('is not read above the limit, and its connection is closed', async () => {
    const { status } = await read(endlessly(Buffer.alloc(65_536, 'a')))
    expect(status).toBe(500)
    await gone.promise
    // Includes the socket buffers of both sides.
    expect(written).toBeLessThan(limit + 12 * megabyte)
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(50 * megabyte))],
    [
      'br',
      brotliCompressSync(Buffer.alloc(50 * megabyte), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 3 },
      }),
    ],
  ])('is not decompressed above the limit: %s', async (encoding, packed) => {
    const { status, body } = await read((response) => response.end(packed), {
      'content-encoding': encoding,
    })
    expect([status, body.error]).toEqual([500, expect.stringContaining('5242880')])
  })

  it('is rejected even if it is compressed and sends no more data', async () => {
    const { status } = await read(endlessly(gzipSync('')), { 'content-encoding': 'gzip' })
    expect(status).toBe(500)
    await gone.promise
  })
})

describe('a page that exceeds the response size', () => {
  it.each([
    ['a long title', `<title>${'"'.repeat(2 * megabyte)}</title>`, '/api/summarize'],
    ['long paragraphs', `<p>${'\u0001'.repeat(megabyte)}`, '/api/summarize'],
    [
      'long meta tags',
      `<meta name=description content='${'"'.repeat(2 * megabyte)}'>`,
      '/api/extract',
    ],
  ] as const)('returns an error with the reason: %s', async (_, page, path) => {
    behave = (response) => response.end(page)
    headers = {}
    const { status, body } = await call(path, { url: site.origin })
    expect([status, body.error]).toEqual([500, 'The page’s content has more than 6000000 bytes'])
  })

  it('is returned at exactly the limit', async () => {
    const title = 'a'.repeat(5 * megabyte - 100)
    const { status, body } = await html(`<title>${title}</title>`)
    expect([status, body.title]).toEqual([200, title])
  })
})

describe('a server that', () => {
  it.each<[string, typeof behave]>([
    ['drips', (response) => void response.write('<p>a')],
    ['does not respond', () => {}],
  ])('a server that %s times out after 10 s', async (_, behaviour) => {
    ownTimeouts()
    let waits = true
    const answer = read(behaviour).finally(() => (waits = false))
    await reached.promise
    let seconds = 0
    await passTime(
      () => waits,
      1000,
      () => void seconds++,
    )
    expect(await answer).toMatchObject({
      status: 500,
      body: { error: expect.stringContaining('10 s') },
    })
    // A worker has its own clock.
    if (process.env.CARRIER !== 'workerd') expect(seconds).toBeLessThanOrEqual(11)
    await gone.promise
  })

  it('a server that closes its connection, or is unavailable, causes the same error', async () => {
    const closed = (await read((response) => void response.socket?.destroy())).body
    const nowhere = await pagesCaller({ allowed: ['127.0.0.1:1'] })('/api/summarize', {
      url: 'http://127.0.0.1:1/',
    })
    expect([nowhere.status, nowhere.body]).toEqual([500, closed])
    expect(closed).toEqual({ error: 'The page could not be fetched: no complete response arrived' })
  })

  it('a server that breaks off causes an error, with or without a content length', async () => {
    const broken = (response: ServerResponse) => {
      response.write('<title>T</title>')
      response.socket?.end()
    }
    expect((await read(broken)).status).toBe(500)
    expect((await read(broken, { 'content-length': '100' })).status).toBe(500)
  })
})

describe('a page that is expensive to parse', () => {
  const times = (count: number, text: string) => text.repeat(count)

  it.each([
    ['10,000 levels', `${times(10_000, '<div>')}<p>deep`],
    ['10,000 levels of paragraphs', `${times(10_000, '<object><p>')}deep`],
    ['a million open elements', `${times(megabyte, '<b>')}<p>deep`],
    ['a million unmatched end tags', `${times(megabyte, '</i>')}<p>deep`],
    [
      'end tags without a match far above',
      `<i><div>${times(200_000, '<b>')}${times(400_000, '</i>')}<p>deep`,
    ],
    [
      'list items without a list',
      `<li><ul>${times(200_000, '<div>')}${times(200_000, '<li></li>')}<p>deep`,
    ],
    [
      'paragraphs behind a button',
      `<p><button>${times(200_000, '<b>')}${times(200_000, '<hr>')}<p>deep`,
    ],
    ['nested svg groups', `<svg>${times(300_000, '<g>')}${times(300_000, '</h>')}<p>deep`],
    ['tables in tables', `${times(100_000, '<table><td>')}<p>deep`],
    ['links in objects', `${times(100_000, '<object><a href=1>')}<p>deep`],
    ['an endless name', `<${times(megabyte, 'a')}><p>deep`],
    ['a million attributes', `<a ${times(megabyte, 'a=b ')}><p>deep`],
    ['an endless comment', `<p>deep<!-- ${times(megabyte, '- -')}`],
    ['entities', `${times(megabyte, '&am')}<p>deep`],
    ['unfinished tags', `${times(megabyte, '<a<')}><p>deep`],
  ])('is parsed in time: %s', async (_, page) => {
    const { status, body } = await html(`<!doctype html>${page}`)
    expect([status, body.error]).toEqual([200, undefined])
  })

  const links = (count: number, tag: (i: number) => string) => {
    const page = Array.from({ length: count }, (_, i) => tag(i)).join('')
    behave = (response) => response.end(page)
    headers = {}
    return call('/api/extract', { url: site.origin })
  }

  it('300,000 links are read, and 500,000 of one address count as one', async () => {
    const { status, body } = await links(300_000, (i) => `<a href=${i}>`)
    expect([status, (body.links as []).length]).toEqual([200, 50])
    const same = await links(500_000, () => '<a href=1>')
    expect([same.status, (same.body.links as []).length]).toEqual([200, 1])
  })

  it('1,000,000 links exceed the limit of a page', async () => {
    const { status, body } = await links(1_000_000, () => '<a href=1>')
    expect([status, body.error]).toEqual([500, expect.stringContaining('5242880')])
  })

  it('bytes that are not text', async () => {
    const noise = Buffer.from(Array.from({ length: megabyte }, (_, i) => (i * 7919) % 256))
    for (const charset of [
      'utf-8',
      'utf-16le',
      'gb18030',
      'shift_jis',
      'iso-2022-jp',
      'replacement',
    ])
      expect(
        (
          await read((response) => response.end(noise), {
            'content-type': `text/html; charset=${charset}`,
          })
        ).status,
      ).toBe(200)
  })
})
