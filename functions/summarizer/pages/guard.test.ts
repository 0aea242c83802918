import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import { pagesCaller, type Site, startSite } from '#tests/support/tools/pages.ts'

let site: Site
let port: string
/** The addresses that names resolve to. */
let addresses: string[] = []
/** The number of resolutions. */
let resolved = 0

const callerOf = (allowed: readonly string[]) => pagesCaller({ allowed, resolve })

function resolve(...[_name, _options, callback]: Parameters<Resolve>): void {
  resolved++
  callback(
    null,
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  )
}

/** A caller that cannot access private addresses. */
let strict: ReturnType<typeof callerOf>

const call = (allowed: readonly string[] = [], path = '/') =>
  (allowed.length === 0 ? strict : callerOf(allowed))('/api/summarize', { url: path })

beforeAll(async () => {
  strict = callerOf([])
  site = await startSite(({ url = '' }, response) => {
    if (url.startsWith('/to/'))
      response.writeHead(302, { location: decodeURIComponent(url.slice(4)) }).end()
    else if (url === '/round') response.writeHead(301, { location: '/round' }).end()
    else if (/^\/[1-9]$/.test(url)) {
      const location = url === '/1' ? '/end' : `/${Number(url[1]) - 1}`
      response.writeHead(308, { location, 'set-cookie': 'a=b' }).end()
    } else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Here</title>')
  })
  port = site.host.split(':')[1] ?? ''
})
afterAll(() => site.close())

const privates = `
  127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0x7f.1 017700000001 127.0.0.1. 127.255.255.254 0 0.0.0.0 10.1.2.3 172.16.0.1 192.168.0.1 169.254.169.254 100.64.0.1 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 %31%32%37.0.0.1 １２７.0.0.1
  [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [fe80::1] [fc00::1] [fd12:3456::1] [ff02::1] [2001:db8::1] [2001::1] [3fff::1] [2002:7f00:1::1] [64:ff9b::7f00:1] [64:ff9b:1::1] [100::1] [5f00::1]
  localhost LOCALHOST localhost. a.localhost a.localhost.
`
  .trim()
  .split(/\s+/)

describe('the guard rejects', () => {
  it.each(privates)('the guard rejects %s, in any notation', async (host) => {
    addresses = ['93.184.215.14']
    resolved = 0
    const before = site.connections()
    const { status, body } = await call([], `http://${host}:${port}/`)
    expect([status, body.error]).toEqual([400, expect.stringContaining('is not allowed')])
    expect([site.connections(), resolved]).toEqual([before, 0])
  })

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/html,<title>x</title>',
    'javascript:1',
    'gopher://example.com',
    'example.com',
    '//example.com',
    'http://',
    'http://a b/',
    'https://[::1',
    'http://example.com:99999/',
  ])('the guard rejects a URL that is not http or https: %s', async (url) => {
    const { status, body } = await call([], url)
    expect([status, body.error]).toEqual([400, expect.stringContaining('http or https URL')])
  })

  it.each([
    [['127.0.0.1']],
    [['93.184.215.14', '10.0.0.1']],
    [['2606:2800::1', '::1']],
    [['::ffff:10.0.0.1']],
    [['64:ff9b::a00:1']],
    [['fe80::1%eth0']],
  ])('the guard rejects a name with a private address among its addresses: %j', async (led) => {
    addresses = led
    const before = site.connections()
    expect((await call([], 'http://name.example/')).status).toBe(400)
    expect(site.connections()).toBe(before)
  })

  it.each(['22', '25', '81', '442', '444', '6379', '8080', '8443', '65535'])(
    'the guard rejects any port other than the ports of the web: %s',
    async (other) => {
      addresses = ['93.184.215.14']
      resolved = 0
      const hosts = ['http://name.example', 'https://name.example', 'http://93.184.215.14']
      for (const host of hosts) {
        const { status, body } = await call([], `${host}:${other}/`)
        expect([status, body.error]).toEqual([400, expect.stringContaining('must be 80 or 443')])
      }
      const led = await call([site.host], `${site.origin}/to/http%3A%2F%2Fname.example%3A${other}`)
      expect([led.status, resolved]).toEqual([400, 0])
    },
  )

  it('the guard rejects a name by the same resolution that its connection uses', async () => {
    addresses = ['127.0.0.1']
    resolved = 0
    expect((await call([], 'http://rebind.example:80/')).status).toBe(400)
    expect(resolved).toBe(1)
  })

  it('the guard rejects the target of a redirect', async () => {
    addresses = ['127.0.0.1']
    const targets = [
      'http://127.0.0.1:1/',
      `http://localhost:${port}/`,
      'http://[::1]/',
      'http://name.example/',
      'file:///etc/passwd',
      'ftp://example.com',
      'http://',
      '//2130706433/',
    ]
    for (const target of targets) {
      const { status } = await call([site.host], `${site.origin}/to/${encodeURIComponent(target)}`)
      expect([target, status]).toEqual([target, 400])
    }
  })
})

describe('FETCH_ALLOW_HOSTS', () => {
  it('allows its own host and port, and nothing else', async () => {
    expect((await call([site.host], site.origin)).body.title).toBe('Here')
    expect((await call([site.host], `http://2130706433:${port}`)).body.title).toBe('Here')
    for (const other of [
      `localhost:${port}`,
      '127.0.0.1:80',
      `127.0.0.2:${port}`,
      `[::1]:${port}`,
    ]) {
      expect((await call([other], site.origin)).status).toBe(400)
      expect((await call([site.host], `http://${other}/`)).status).toBe(400)
    }
  })

  it('allows exactly the listed host name, not its address or a variant', async () => {
    const local = pagesCaller({ allowed: [`localhost:${port}`] })
    const statuses = ['localhost', '127.0.0.1', 'a.localhost', 'localhost.'].map(async (host) => {
      const { status } = await local('/api/summarize', { url: `http://${host}:${port}/` })
      return status
    })
    expect(await Promise.all(statuses)).toEqual([200, 400, 400, 400])
  })
})

describe('redirects', () => {
  it('are followed up to five times', async () => {
    expect((await call([site.host], `${site.origin}/5`)).body).toMatchObject({
      url: `${site.origin}/5`,
      title: 'Here',
    })
    const { status, body } = await call([site.host], `${site.origin}/6`)
    expect([status, body.error]).toEqual([500, expect.stringContaining('more than 5')])
    expect((await call([site.host], `${site.origin}/round`)).status).toBe(500)
  })
})
