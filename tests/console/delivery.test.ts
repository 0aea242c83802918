import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { describe, expect, inject, test } from 'vitest'
import { consoleHeaders, consolePaths } from '#shared/manifest/console.ts'

const web = () => inject('stack').web

const get = (path: string, init?: RequestInit) => fetch(web() + path, init)

const example = (pattern: string) => pattern.replace('*', 'any/thing')

describe('the console’s own paths', () => {
  test.each([...consolePaths])(
    '%s returns the page, which is revalidated each time',
    async (path) => {
      const answer = await get(example(path))
      expect(answer.status).toBe(200)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...consoleHeaders,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-request-id': expect.stringMatching(/./),
      })
      expect(await answer.text()).toContain('<div id="app">')
    },
  )

  test('return exactly the content security policy of the pages', async () => {
    const { headers } = await get('/login')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
    expect(headers.get('strict-transport-security')).toBeNull()
  })

  test('include every screen of the router', () => {
    const owned = (path: string) =>
      consolePaths.some((each) =>
        each.endsWith('/*') ? path.startsWith(each.slice(0, -1)) : each === path,
      )
    const router = readFileSync('console/app/routes.ts', 'utf8')
    const screens = [...router.matchAll(/pattern: '([^']+)'/g)].map(([, path = '']) => path)
    expect(screens.length).toBeGreaterThan(10)
    expect(screens.filter((path) => !owned(path))).toEqual([])
  })

  test('accept only reads', async () => {
    const answer = await get('/login', { method: 'POST', body: '{}' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
    expect(await answer.json()).toEqual({ error: expect.any(String) })
    const head = await get('/login', { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })

  test('return 304 while they are unchanged', async () => {
    const etag = (await get('/login')).headers.get('etag') ?? ''
    const again = await get('/dashboard', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })
})

describe('its assets', () => {
  const assets = async () => {
    const page = await (await get('/login')).text()
    return [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  }

  test('are exactly the files of the page, and never change', async () => {
    const paths = await assets()
    expect(paths.length).toBeGreaterThan(2)
    for (const path of paths) {
      const answer = await get(path)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
  ])('are compressed if the client accepts it: %s', async (accepted, expected) => {
    const path = (await assets()).find((each) => each.endsWith('.js')) ?? ''
    const encoding = await new Promise((resolve, reject) => {
      request(web() + path, { headers: { 'accept-encoding': accepted } }, (response) => {
        response.resume()
        resolve(response.headers['content-encoding'])
      })
        .on('error', reject)
        .end()
    })
    expect(encoding).toBe(expected)
  })
})

describe('every other path', () => {
  test.each([
    '/nothing',
    '/login/',
    '/login/more',
    '/keys/key_1',
    '/agentsx',
    '/assets',
    '/assets/none.js',
    '/assets/..%2findex.html',
    '/assets/../index.html/x',
    '/index.html',
    '/files.json',
  ])('%s returns 404 in JSON', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(await answer.json()).toEqual({ error: expect.any(String) })
  })

  test('an API’s address is answered by the API', async () => {
    expect(await (await get('/api/auth/session')).json()).toEqual({ user: null })
  })
})
