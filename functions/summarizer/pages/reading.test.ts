import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pageExtraction, pageSummary } from '#shared/tools/pages/schema.ts'
import { onWorkerd } from '#tests/support/http/carrier.ts'
import { pagesCaller, type Site, startSite } from '#tests/support/tools/pages.ts'

const page = `<!DOCTYPE html>
<html><head>
<title>  A   page &amp; more </title>
<meta name="Description" content="What it says">
<meta property="og:title" content="Open"><meta property="og:title" content="Second">
<meta name="twitter:card" content="summary"><meta name="viewport" content="x">
<base href="/base/">
</head><body>
<h1>First <em>heading</em></h1> <h2></h2> <h2>Second</h2> <h3>Second</h3> <h4>No</h4>
<p>One <b>two</b>
three</p> <p></p> <p>One two three</p>
<script>let not = 'counted'</script> <style>nor { this: 1 }</style> <noscript>nor this</noscript>
<template><p>Nor this</p></template>
<a href="there?a=1&amp;b=2">There</a> <a href="there?a=1&amp;b=2">again</a>
<a href="mailto:a@example.com">Mail</a> <a href="javascript:x()">Script</a> <a href="https://example.com"><img src="i.png" alt="An  image"></a>
<img src="/i.png"> <img src="i.png"> <img src="data:image/png;base64,AAAA" alt="data">
</body></html>`

let site: Site
/** The site's response and the last request to it. */
let answer: { headers: Record<string, string>; body: Buffer | string; status?: number }
let requests: Record<string, unknown>[]
let call: ReturnType<typeof pagesCaller>

beforeAll(async () => {
  site = await startSite(({ headers }, response) => {
    requests.push(headers)
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  call = pagesCaller({ allowed: [site.host] })
})
afterAll(() => site.close())
beforeEach(() => {
  answer = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: page }
  requests = []
})

const read = async (path: '/api/summarize' | '/api/extract' = '/api/summarize') =>
  call(path, { url: `${site.origin}/dir/page` })
const titleOf = async () => (await read()).body.title

describe('a page', () => {
  it('is summarized', async () => {
    const { status, body } = await read()
    expect([status, body]).toEqual([
      200,
      {
        url: `${site.origin}/dir/page`,
        title: 'A page & more',
        description: 'What it says',
        headings: ['First heading', 'Second'],
        paragraphs: ['One two three'],
        wordCount: 15,
        fetchedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ])
  })

  it('is returned with its links, images and meta tags', async () => {
    const { status, body } = await read('/api/extract')
    expect([status, body]).toEqual([
      200,
      {
        url: `${site.origin}/dir/page`,
        links: [
          { href: `${site.origin}/base/there?a=1&b=2`, text: 'There' },
          { href: 'https://example.com/', text: '' },
        ],
        images: [
          { src: `${site.origin}/base/i.png`, alt: 'An image' },
          { src: `${site.origin}/i.png`, alt: '' },
        ],
        meta: { description: 'What it says', 'og:title': 'Open', 'twitter:card': 'summary' },
        fetchedAt: expect.any(String),
      },
    ])
  })

  it('is fetched under the name of the service, without data of its caller', async () => {
    const url = site.origin.replace('//', '//user:secret@')
    const reports = [await call('/api/summarize', { url }), await call('/api/extract', { url })]
    for (const { status, body } of reports) {
      expect([status, body.url]).toEqual([200, `${site.origin}/`])
      // The links of the page must not contain it either.
      expect(JSON.stringify(body)).not.toMatch(/secret|user:/)
    }
    requests.pop()
    expect(requests).toEqual([
      {
        host: site.host,
        // workerd does not set this header.
        ...(!onWorkerd && { connection: expect.any(String) }),
        'user-agent': 'WebSummarizer/1.0',
        accept: 'text/html, application/xhtml+xml',
        'accept-encoding': 'gzip, deflate, br',
      },
    ])
  })

  it.each([
    ['an h1 instead of a title', '<h1></h1><h1>Head</h1>', { title: 'Head' }],
    ['no title at all', 'text', { title: '', description: '', headings: [], wordCount: 1 }],
    [
      'og:description instead of a blank description',
      '<meta name=description content=" "><meta property=og:description content=Open>',
      { description: 'Open' },
    ],
  ])('accepts %s', async (_, body, expected) => {
    answer.body = body
    expect((await read()).body).toMatchObject(expected)
  })

  it('is truncated to the limits, and never inside a character', async () => {
    const many = (count: number, one: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => one(i)).join('')
    const long = `${'a'.repeat(99)}😀b`
    answer.body = many(
      60,
      (i) => `<h2>h${i}</h2><p>p${i}</p><a href=/${i}>${long}</a><img src=/${i}>`,
    )
    const { body: summary } = await read()
    const { headings, paragraphs } = pageSummary.parse(summary)
    expect([headings.length, paragraphs.length]).toEqual([20, 10])
    const { body } = await read('/api/extract')
    const { links, images } = pageExtraction.parse(body)
    expect([links.length, images.length, links[0]?.text]).toEqual([50, 20, 'a'.repeat(99)])
  })
})

describe('the encoding of a page', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', Buffer.from],
  ])('%s is decoded', async (encoding, pack) => {
    answer.headers['content-encoding'] = encoding
    answer.body = pack(Buffer.from(page))
    expect(await titleOf()).toBe('A page & more')
  })

  it('is an error if it is unknown or invalid', async () => {
    answer.headers['content-encoding'] = 'compress'
    expect((await read()).status).toBe(500)
    answer.headers['content-encoding'] = 'gzip'
    expect((await read()).status).toBe(500)
    answer.body = gzipSync(page).subarray(0, 100)
    expect((await read()).status).toBe(500)
  })
})

describe('a page’s charset', () => {
  const html = 'text/html'
  const latin = (label: string) =>
    Buffer.from(`<head>${label}</head><title>caf\u00e9</title>`, 'latin1')
  it.each<[string, string, Buffer]>([
    ['a byte order mark', `${html}; charset=latin1`, Buffer.from('\ufeff<title>café</title>')],
    ['a byte order mark of UTF-16', html, Buffer.from('\ufeff<title>café</title>', 'utf16le')],
    ['the Content-Type header', `${html}; charset="ISO-8859-1"`, latin('<meta charset=utf-8>')],
    ['a meta tag', html, latin('<!-- <meta charset=utf-8> --><meta charset=windows-1252>')],
    [
      'an older meta tag',
      html,
      latin('<meta http-equiv=Content-Type content="text/html; charset=latin1">'),
    ],
    ['the default UTF-8', html, Buffer.from('<title>café</title>')],
    [
      'the default after an invalid header',
      `${html};charset=nonsense`,
      Buffer.from('<title>café</title>'),
    ],
  ])('is determined by %s', async (_, type, body) => {
    answer = { headers: { 'content-type': type }, body }
    expect(await titleOf()).toBe('café')
  })

  it('replaces invalid bytes, and looks for a meta tag only at the beginning', async () => {
    answer.body = Buffer.concat([Buffer.from('<title>a'), Buffer.from([0xff]), Buffer.from('b')])
    expect(await titleOf()).toBe('a\ufffdb')
    answer = {
      headers: { 'content-type': html },
      body: latin(' '.repeat(1024) + '<meta charset=latin1>'),
    }
    expect(await titleOf()).toBe('caf\ufffd')
  })
})

describe('an invalid page', () => {
  it.each([
    ['another status', { status: 404 }, '404'],
    ['a status without a body', { status: 304 }, '304'],
    [
      'another content type',
      { headers: { 'content-type': 'application/json' } },
      'application/json',
    ],
    ['no content type', { headers: {} }, 'missing'],
  ])('%s returns an error with the reason', async (_, more, said) => {
    Object.assign(answer, more)
    for (const path of ['/api/summarize', '/api/extract'] as const) {
      const { status, body } = await read(path)
      expect([status, body.error]).toEqual([500, expect.stringContaining(said)])
    }
  })

  it('is returned for an unavailable server and for a name that does not resolve', async () => {
    const gone = await startSite(() => {})
    await gone.close()
    const lost = pagesCaller({
      allowed: [gone.host],
      resolve: (_name, _options, callback) =>
        callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []),
    })
    for (const url of [gone.origin, 'http://nowhere.example'])
      expect((await lost('/api/summarize', { url })).status).toBe(500)
  })

  it('XHTML is accepted, also with self-closing elements', async () => {
    const body =
      '<html><head><title>T</title><script src="x"/></head><body><p>One</p></body></html>'
    answer = { headers: { 'content-type': 'application/xhtml+xml' }, body }
    expect((await read()).body).toMatchObject({ title: 'T', paragraphs: ['One'] })
  })
})

describe('a request', () => {
  it.each([{}, { url: '' }, { url: '  ' }, { url: 7 }, { url: null }])(
    'requires a url: %j',
    async (body) => {
      for (const path of ['/api/summarize', '/api/extract'] as const)
        expect(await call(path, body)).toMatchObject({
          status: 400,
          body: { error: 'url required' },
        })
    },
  )

  it('must be a JSON object', async () => {
    for (const body of ['{', '[]', '"http://example.com"'])
      expect((await call('/api/summarize', body)).status).toBe(400)
  })
})
